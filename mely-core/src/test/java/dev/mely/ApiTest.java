package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How much a user of the runtime has to know. */
class ApiTest {
  @Test
  void underADozenPublicTypes() {
    Set<String> types =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.mely")
                .stream()
                .filter(c -> c.getPackageName().equals("dev.mely") && c.isTopLevelClass())
                .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            "Color",
            "Emitter",
            "ErrorHandler",
            "Event",
            "Fork",
            "Handler",
            "Inspection",
            "Mely",
            "MelyBuilder",
            "Permissions",
            "StealPolicy"),
        types);
  }

  /**
   * Inherited methods count, those of Object do not. Five are for programs that feed a runtime from
   * a source of their own, such as a topic: to try, to ask for room, to pause, to resume, and to be
   * told what is done.
   */
  @Test
  void theRuntimeHasThirtyOnePublicMembersAtMost() {
    Set<String> members =
        Stream.concat(
                Arrays.stream(Mely.class.getMethods())
                    .filter(m -> m.getDeclaringClass() != Object.class)
                    .map(Method::toGenericString),
                Stream.concat(
                        Arrays.stream(Mely.class.getClasses()),
                        Arrays.stream(Mely.class.getFields()))
                    .map(Object::toString))
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(members.size() <= 31, () -> members.size() + ": " + String.join("\n", members));
    assertTrue(members.size() > 20, members::toString);
  }
}
