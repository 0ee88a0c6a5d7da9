package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a user sees of the example. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaCommandTest {
  private static final Pattern KEY_AT_WORK = Pattern.compile("(?m)core [01]  \\|\\.*[Abcd]");
  private static final Pattern ALL_DONE =
      Pattern.compile("(?m)^kafka: [1-9]\\d* records done, 0 pending");

  private static final int LONGEST_SECONDS = 128;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = CommandLineAccess.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all = new String[arguments.length + 1];
    all[0] = "kafka";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return commandLine.execute(all);
  }

  /** On a busy machine it may take longer until records come: then for longer once more. */
  @Test
  void keysAreSeenAtWorkAndAllRecordsAreDone() {
    String said = "";
    for (int seconds = 2; !isComplete(said) && seconds <= LONGEST_SECONDS; seconds *= 2) {
      out.getBuffer().setLength(0);
      assertEquals(0, run("--seconds=" + seconds, "--keys=4", "--work=5", "--cores=2"), this::said);
      said = out.toString();
    }
    assertTrue(isComplete(said), this::said);
  }

  private static boolean isComplete(String said) {
    return KEY_AT_WORK.matcher(said).find() && ALL_DONE.matcher(said).find();
  }

  private String said() {
    return out + "\n" + err;
  }

  @Test
  void wrongOptionsAreNamed() {
    for (String wrong :
        List.of(
            "--keys=0", "--hot=101", "--rate=-1", "--work=-1", "--partitions=0", "--cores=-1")) {
      assertEquals(2, run(wrong), wrong);
      assertTrue(err.toString().contains(wrong.substring(0, wrong.indexOf('='))), this::said);
      err.getBuffer().setLength(0);
    }
  }

  /** It stops at a record that cannot be read, of which it says why. */
  @Test
  void aConsumerThatStopsIsAFailure(@TempDir Path folder) throws Exception {
    try (LocalBroker broker = LocalBroker.start(folder)) {
      Map<String, Object> settings = // a topic so young makes an idempotent one lose count
          Map.of("bootstrap.servers", broker.address(), "enable.idempotence", false);
      try (Producer<byte[], byte[]> producer =
          new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
        producer.send(new ProducerRecord<>("poison", new byte[3], new byte[0])).get();
      }
      int code = run("--broker=" + broker.address(), "--topic=poison", "--rate=0", "--seconds=120");
      assertEquals(1, code, this::said);
      assertTrue(out.toString().contains("kafka: the consumer has stopped: "), this::said);
      assertTrue(out.toString().contains("poison-0 at offset 0"), this::said);
    }
  }

  @Test
  void aBrokersAddressThatIsNoneIsNamed() {
    assertEquals(1, run("--broker=nonsense"));
    assertTrue(err.toString().contains("nonsense"), this::said);
  }
}
