package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random migration by a system property. */
class RandomMigrationTest {
  @AfterEach
  void clear() {
    System.clearProperty(RandomMigration.PROPERTY);
  }

  private static Settings built(MelyBuilder builder) {
    try (Mely mely = builder.cores(1).pinned(false).build()) {
      return mely.scheduler().settings;
    }
  }

  @Test
  void everyRuntimeTakesItFromTheProperty() {
    System.setProperty(RandomMigration.PROPERTY, " -17 ");
    MelyBuilder builder = Mely.builder();
    Settings settings = built(builder);
    assertTrue(settings.randomMigration);
    assertEquals(-17, settings.seed);
    clear();
    assertFalse(built(builder).randomMigration, "the builder is as it was");
  }

  @Test
  void theBuilderComesFirst() {
    System.setProperty(RandomMigration.PROPERTY, "1");
    assertEquals(2, built(Mely.builder().randomMigration(2)).seed);
  }

  @Test
  void withoutThePropertyNothingIsDrawn() {
    assertFalse(built(Mely.builder()).randomMigration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "true", "1.5", "99999999999999999999"})
  void whatIsNoSeedIsRefused(String text) {
    System.setProperty(RandomMigration.PROPERTY, text);
    MelyBuilder builder = Mely.builder();
    Exception refused = assertThrows(IllegalArgumentException.class, builder::build);
    assertTrue(refused.getMessage().contains(RandomMigration.PROPERTY), refused.getMessage());
    assertTrue(refused.getMessage().endsWith("but is '" + text + "'"), refused.getMessage());
  }
}
