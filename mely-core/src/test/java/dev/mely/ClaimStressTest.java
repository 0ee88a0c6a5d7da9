package dev.mely;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The claims of {@link LincheckColorTest} on real threads, as it comes, and so with all compilers
 * of the virtual machine: the build runs {@code Lincheck*Test} with the first one alone.
 */
@Timeout(600)
class ClaimStressTest {

  @Test
  void exactlyOneClaimsAColorOnRealThreads() {
    LincheckColorTest.claims(LincheckColorTest.Claims.class).stress();
  }
}
