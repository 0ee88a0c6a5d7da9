package dev.mely.jmx;

import dev.mely.Mely;
import dev.mely.report.Statistics;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Shows a runtime to management consoles, from {@link #register} to {@link #close}.
 *
 * <pre>{@code
 * try (MelyManagement bean = MelyManagement.register(mely, "orders")) { // dev.mely:type=Mely,name="orders"
 *   serve();
 * }
 * }</pre>
 *
 * <p>Holds on to the runtime until it is closed. Thread-safe.
 */
public final class MelyManagement implements AutoCloseable {
  private final MBeanServer server;
  private final ObjectName name;

  private MelyManagement(MBeanServer server, ObjectName name) {
    this.server = server;
    this.name = name;
  }

  /**
   * Registers a bean with the platform's server.
   *
   * @param mely the runtime
   * @param name what it is called: the bean is {@code dev.mely:type=Mely,name="..."}
   * @return to be closed when the runtime ends
   * @throws IllegalStateException if there is a bean of that name
   */
  public static MelyManagement register(Mely mely, String name) {
    Objects.requireNonNull(mely, "mely");
    Objects.requireNonNull(name, "name");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      ObjectName full = new ObjectName("dev.mely:type=Mely,name=" + ObjectName.quote(name));
      server.registerMBean(new Bean(mely), full);
      return new MelyManagement(server, full);
    } catch (JMException e) {
      throw new IllegalStateException("cannot register a bean for " + name, e);
    }
  }

  /**
   * Returns the name of the bean.
   *
   * @return what {@link ObjectName} takes
   */
  public String name() {
    return name.getCanonicalName();
  }

  /** Takes the bean out of the server. Does nothing if it is not there any more. */
  @Override
  public void close() {
    try {
      server.unregisterMBean(name);
    } catch (InstanceNotFoundException e) {
      // Another thread was faster.
    } catch (JMException e) {
      throw new IllegalStateException("cannot unregister " + name, e);
    }
  }

  private record Bean(Mely mely) implements MelyMXBean {
    private Statistics.PerCore total() {
      return mely.inspect().statistics().total();
    }

    @Override
    public int getCores() {
      return mely.inspect().cores();
    }

    @Override
    public long getEvents() {
      return total().events();
    }

    @Override
    public long getErrors() {
      return total().errors();
    }

    @Override
    public long getColorsWaiting() {
      return total().colorsWaiting();
    }

    @Override
    public long getColorsStolen() {
      return total().colorsStolen();
    }

    @Override
    public long getTakeovers() {
      return total().takeovers();
    }

    @Override
    public long getStolenNanos() {
      return total().stolenNanos();
    }

    @Override
    public long getStealCostNanos() {
      return mely.inspect().stealCostNanos();
    }

    @Override
    public long getParks() {
      return total().parks();
    }

    @Override
    public long getParkedNanos() {
      return total().parkedNanos();
    }

    @Override
    public long getWakeups() {
      return total().wakeups();
    }

    @Override
    public long getBlockedHandlers() {
      return total().blockedHandlers();
    }

    @Override
    public String statistics() {
      return mely.inspect().statistics().toString();
    }

    @Override
    public String dump() {
      return mely.inspect().dump();
    }
  }
}
