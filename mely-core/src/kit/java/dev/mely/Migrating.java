package dev.mely;

import java.util.function.Consumer;

/** Random migration for the tests of other packages: a switch that programs do not have. */
public final class Migrating {
  private Migrating() {}

  /** Colors go to cores drawn at random, with this seed. */
  public static MelyBuilder on(MelyBuilder builder, long seed) {
    return builder.randomMigration(seed);
  }

  /** The same, for a builder that comes later. */
  public static Consumer<MelyBuilder> by(long seed) {
    return builder -> builder.randomMigration(seed);
  }
}
