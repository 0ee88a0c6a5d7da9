package dev.mely.examples.stingy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads and writes stage graphs and plans as JSON files. */
public final class StageJson {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .setStrictness(Strictness.STRICT)
          .disableHtmlEscaping()
          .registerTypeAdapterFactory(new Placed())
          .create();

  private StageJson() {}

  /**
   * Writes a graph or a plan.
   *
   * @param path of the file
   * @param value what to write
   * @throws IOException if the file cannot be written
   */
  public static void write(Path path, Record value) throws IOException {
    Files.writeString(path, GSON.toJson(value) + "\n");
  }

  /**
   * Reads a graph.
   *
   * @param path of the file
   * @return what is in it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if it is not a graph; the message names the file and the place
   */
  public static StageGraph graph(Path path) throws IOException {
    return read(path, StageGraph.class, "stage graph");
  }

  /**
   * Reads a plan.
   *
   * @param path of the file
   * @return what is in it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if it is not a plan; the message names the file and the place
   */
  public static Plan plan(Path path) throws IOException {
    return read(path, Plan.class, "plan");
  }

  private static <T> T read(Path path, Class<T> type, String what) throws IOException {
    String text = Files.readString(path);
    try {
      T value = GSON.fromJson(text, type);
      if (value == null) {
        throw new JsonParseException("there is nothing in it");
      }
      return value;
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("'" + path + "' is no " + what + ": " + reason(e), e);
    }
  }

  /** Gson's message, without its advice. */
  private static String reason(RuntimeException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    if (cause instanceof NullPointerException) {
      return "a value is missing"; // thrown by a record's constructor
    }
    String said = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return said.replaceFirst("^Use JsonReader\\.\\S+ to accept ", "");
  }

  /**
   * Explains what is wrong with a file.
   *
   * @param e thrown by reading or writing it
   * @return its message, made readable if it is only the file's name
   */
  public static String explain(Exception e) {
    if (e instanceof NoSuchFileException missing) {
      return "there is no file '" + missing.getFile() + "'";
    }
    return e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
  }

  /** Adds the place of a refused value's record, such as " at line 3 column 6 path $.a". */
  private static final class Placed implements TypeAdapterFactory {
    @Override
    public <T> @Nullable TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
      if (!type.getRawType().isRecord()) {
        return null;
      }
      TypeAdapter<T> plain = gson.getDelegateAdapter(this, type);
      return new TypeAdapter<>() {
        @Override
        public void write(JsonWriter out, T value) throws IOException {
          plain.write(out, value);
        }

        @Override
        public T read(JsonReader in) throws IOException {
          String place = in.toString().replaceFirst("^JsonReader", "");
          try {
            return plain.read(in);
          } catch (RuntimeException e) {
            String reason = reason(e);
            throw new JsonParseException(reason.contains(" path $") ? reason : reason + place);
          }
        }
      };
    }
  }
}
