package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Name;
import org.junit.jupiter.api.Test;

class CodeRecordingTest {
  /** One that is left on costs Mely's servers what the stock group's do not pay. */
  @Test
  void knowsAllEventsOfMelysOwn() {
    Set<String> all =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.mely.flight")
                .stream()
                .flatMap(type -> type.tryGetAnnotationOfType(Name.class).stream())
                .map(Name::value)
                .collect(Collectors.toSet());
    assertEquals(all, Set.copyOf(CodeRecording.OWN_EVENTS));
  }
}
