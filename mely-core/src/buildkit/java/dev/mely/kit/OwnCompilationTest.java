package dev.mely.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A module's methods that are to be compiled on their own are larger than what is inlined. */
class OwnCompilationTest {
  private static final String ANNOTATION = "Ldev/mely/jit/OwnCompilation;";

  /** Bytes of code, by class and method. */
  private final Map<String, Integer> sizes = new TreeMap<>();

  @Test
  void theyAreTooLarge() throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.walk(Path.of("target", "classes"))) {
      classes = files.filter(file -> file.toString().endsWith(".class")).toList();
    }
    for (Path file : classes) {
      new ClassReader(Files.readAllBytes(file)).accept(new Sizes(), 0);
    }
    assertFalse(sizes.isEmpty());
    HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    int limit = Integer.parseInt(vm.getVMOption("FreqInlineSize").getValue());
    Map<String, Integer> inlined = new TreeMap<>(sizes);
    inlined.values().removeIf(size -> size > limit);
    assertEquals(Map.of(), inlined, "the build has not run OwnCompilations");
  }

  /** Writes the class anew, in memory: who writes knows how far it has come. */
  private final class Sizes extends ClassVisitor {
    private String type = "";

    Sizes() {
      super(Opcodes.ASM9, new ClassWriter(0));
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        @Nullable String signature,
        String superName,
        String[] interfaces) {
      type = name;
      super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access,
        String name,
        String descriptor,
        @Nullable String signature,
        String @Nullable [] exceptions) {
      MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, to) {
        private boolean annotated;

        @Override
        public AnnotationVisitor visitAnnotation(String annotation, boolean visible) {
          annotated |= annotation.equals(ANNOTATION);
          return super.visitAnnotation(annotation, visible);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
          Label end = new Label();
          super.visitLabel(end);
          if (annotated) {
            sizes.put(type + "." + name + descriptor, end.getOffset());
          }
          super.visitMaxs(maxStack, maxLocals);
        }
      };
    }
  }
}
