import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A step of the build: appends to each method with the annotation {@code
 * dev.mely.jit.OwnCompilation} as many bytes that never run as make it too large for the optimizing
 * compiler to inline. Run from its source, on a folder of classes; those that have the bytes
 * already are left alone.
 */
public final class OwnCompilations {
  /** More than HotSpot's FreqInlineSize. */
  private static final int BYTES = 330;

  private static final String ANNOTATION = "Ldev/mely/jit/OwnCompilation;";

  private OwnCompilations() {}

  /** Takes the folder. */
  public static void main(String[] folder) throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.walk(Path.of(folder[0]))) {
      classes = files.filter(file -> file.toString().endsWith(".class")).toList();
    }
    for (Path file : classes) {
      ClassReader reader = new ClassReader(Files.readAllBytes(file));
      ClassWriter writer = new ClassWriter(reader, 0);
      Filler filler = new Filler(writer);
      reader.accept(filler, 0);
      if (filler.filled) {
        Files.write(file, writer.toByteArray());
      }
    }
  }

  /** Copies a class. */
  private static final class Filler extends ClassVisitor {
    boolean filled;

    Filler(ClassWriter to) {
      super(Opcodes.ASM9, to);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, to) {
        private boolean annotated;
        private int nops;

        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean visible) {
          annotated |= type.equals(ANNOTATION);
          return super.visitAnnotation(type, visible);
        }

        @Override
        public void visitInsn(int opcode) {
          nops += opcode == Opcodes.NOP ? 1 : 0; // javac writes none
          super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
          if (annotated && nops == 0) {
            filled = true;
            super.visitFrame(Opcodes.F_FULL, 0, new Object[0], 0, new Object[0]);
            for (int i = 0; i < BYTES; i++) {
              super.visitInsn(Opcodes.NOP);
            }
            super.visitInsn(Opcodes.ACONST_NULL);
            super.visitInsn(Opcodes.ATHROW);
          }
          super.visitMaxs(Math.max(1, maxStack), maxLocals);
        }
      };
    }
  }
}
