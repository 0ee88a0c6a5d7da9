package dev.mely.examples;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.maven.repository.internal.MavenRepositorySystemUtils;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.repository.LocalRepository;
import org.eclipse.aether.repository.WorkspaceReader;
import org.eclipse.aether.repository.WorkspaceRepository;
import org.eclipse.aether.resolution.ArtifactDescriptorException;
import org.eclipse.aether.resolution.ArtifactDescriptorRequest;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.eclipse.aether.supplier.RepositorySystemSupplier;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.eclipse.aether.util.filter.DependencyFilterUtils;

/**
 * The jars that Maven resolves for a project that depends on some artifacts: its own resolver, over
 * the packaged jars of this build. Nothing is downloaded: the build has needed all of the jars
 * already, and the description of a version that another has overruled counts for nothing.
 */
final class Resolved {
  /** What the parent pom leaves out of Affinity as well, and so the build has not needed. */
  private static final List<Exclusion> EXCLUSIONS =
      List.of(
          new Exclusion("net.java.dev.jna", "jna-platform", "*", "*"),
          new Exclusion("org.jetbrains", "annotations", "*", "*"));

  private Resolved() {}

  /**
   * Resolves what a project compiles and runs with.
   *
   * @param dependencies each as {@code group:artifact:version}
   */
  static List<Path> of(String... dependencies) throws DependencyResolutionException {
    RepositorySystem system = new RepositorySystemSupplier().get();
    RepositorySystemSession session = session(system);
    CollectRequest collect = new CollectRequest();
    for (String dependency : dependencies) {
      collect.addDependency(
          new Dependency(new DefaultArtifact(dependency), JavaScopes.COMPILE, false, EXCLUSIONS));
    }
    return system
        .resolveDependencies(
            session,
            new DependencyRequest(
                collect, DependencyFilterUtils.classpathFilter(JavaScopes.RUNTIME)))
        .getArtifactResults()
        .stream()
        .map(result -> result.getArtifact().getFile().toPath())
        .toList();
  }

  /**
   * What a project manages that imports a bill of materials.
   *
   * @param bom as {@code group:artifact:pom:version}
   * @return each as {@code group:artifact:jar:version}
   */
  static Set<String> managedBy(String bom) throws ArtifactDescriptorException {
    RepositorySystem system = new RepositorySystemSupplier().get();
    return system
        .readArtifactDescriptor(
            session(system), new ArtifactDescriptorRequest(new DefaultArtifact(bom), null, null))
        .getManagedDependencies()
        .stream()
        .map(managed -> managed.getArtifact().toString())
        .collect(Collectors.toSet());
  }

  private static RepositorySystemSession session(RepositorySystem system) {
    DefaultRepositorySystemSession session = MavenRepositorySystemUtils.newSession();
    // What this build has taken from another mirror, or a repository of another name, will do.
    LocalRepository local = new LocalRepository(new File(localRepository()), "simple");
    session.setLocalRepositoryManager(system.newLocalRepositoryManager(session, local));
    session.setSystemProperties(System.getProperties());
    session.setOffline(true);
    session.setWorkspaceReader(new Reactor());
    return session;
  }

  /** Surefire and Failsafe say it; an IDE does not. */
  static String localRepository() {
    return System.getProperty(
        "localRepository",
        Path.of(System.getProperty("user.home"), ".m2", "repository").toString());
  }

  /** The modules of this build. */
  private static final class Reactor implements WorkspaceReader {
    private final WorkspaceRepository repository = new WorkspaceRepository("reactor");

    @Override
    public WorkspaceRepository getRepository() {
      return repository;
    }

    @Override
    public File findArtifact(Artifact artifact) {
      if (!artifact.getGroupId().equals("dev.mely")) {
        return null;
      }
      Path module = BuildFile.folder(artifact.getArtifactId());
      return artifact.getExtension().equals("pom")
          ? module.resolve("pom.xml").toFile()
          : module
              .resolve("target/" + artifact.getArtifactId() + "-" + artifact.getVersion() + ".jar")
              .toFile();
    }

    @Override
    public List<String> findVersions(Artifact artifact) {
      return Arrays.asList(artifact.getVersion());
    }
  }
}
