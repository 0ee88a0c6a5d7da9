package dev.mely.examples;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.maven.model.Model;
import org.apache.maven.model.building.DefaultModelBuildingRequest;
import org.apache.maven.model.inheritance.DefaultInheritanceAssembler;
import org.apache.maven.model.io.xpp3.MavenXpp3Reader;
import org.codehaus.plexus.util.xml.pull.XmlPullParserException;

/** The {@code pom.xml} files of this build, each with what it inherits, put together by Maven. */
final class BuildFile {
  static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private BuildFile() {}

  /** The folder of a module. */
  static Path folder(String artifact) {
    return switch (artifact) {
      case "mely-parent" -> ROOT;
      case "mely-bom" -> ROOT.resolve("mely-core/bom");
      default -> ROOT.resolve(artifact);
    };
  }

  /** All modules that {@code mvn deploy} publishes, those that are poms alone included. */
  static List<Model> published() throws IOException, XmlPullParserException {
    List<Model> published = new ArrayList<>();
    Model root = read(ROOT);
    published.add(root);
    for (String module : root.getModules()) {
      Model model = read(ROOT.resolve(module));
      if (!Boolean.parseBoolean(model.getProperties().getProperty("maven.deploy.skip"))) {
        published.add(model);
      }
    }
    return published;
  }

  private static Model read(Path folder) throws IOException, XmlPullParserException {
    Path file = folder.resolve("pom.xml").normalize();
    Model model;
    try (Reader reader = Files.newBufferedReader(file)) {
      model = new MavenXpp3Reader().read(reader);
    }
    model.setPomFile(file.toFile());
    if (model.getParent() != null) {
      Path parent = folder.resolve(model.getParent().getRelativePath()).normalize();
      new DefaultInheritanceAssembler()
          .assembleModelInheritance(
              model, read(parent.getParent()), new DefaultModelBuildingRequest(), problem -> {});
    }
    return model;
  }
}
