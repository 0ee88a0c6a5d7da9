package dev.mely.netty.peers;

import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;

/**
 * Replaces {@code new MultiThreadIoEventLoopGroup(...)} by {@code PeerGroups.create(...)} in each
 * class that is loaded, and so for {@code NioEventLoopGroup}, which is called by the other name
 * first. Calls of a superclass's constructor stay as they are.
 */
final class GroupRewriter implements ClassFileTransformer {
  private static final String GROUP = "io/netty/channel/MultiThreadIoEventLoopGroup";
  private static final String NIO_GROUP = "io/netty/channel/nio/NioEventLoopGroup";
  private static final String FACTORY = Type.getInternalName(PeerGroups.class);

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] code) {
    if (loader == null || name == null || name.startsWith("dev/mely/") || name.equals(NIO_GROUP)) {
      return null;
    }
    String text = new String(code, StandardCharsets.ISO_8859_1);
    return text.contains(GROUP) || text.contains(NIO_GROUP) ? rewrite(code) : null;
  }

  /** What a class file becomes. */
  static byte[] rewrite(byte[] code) {
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    ClassVisitor calls =
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access,
              String method,
              String descriptor,
              @Nullable String signature,
              String @Nullable [] exceptions) {
            return new Calls(super.visitMethod(access, method, descriptor, signature, exceptions));
          }
        };
    reader.accept(new ClassRemapper(calls, new SimpleRemapper(Opcodes.ASM9, NIO_GROUP, GROUP)), 0);
    return writer.toByteArray();
  }

  /** The calls in one method. A compiler writes NEW and DUP, the arguments, INVOKESPECIAL. */
  private static final class Calls extends MethodVisitor {
    /** Of each NEW whose constructor has not been called yet: nothing but its place. */
    private final Deque<String> open = new ArrayDeque<>();

    /** Whether the DUP that follows a NEW is still to be left out. */
    private boolean duplicate;

    Calls(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      if (opcode == Opcodes.NEW && type.equals(GROUP)) {
        open.push(type);
        duplicate = true;
      } else {
        super.visitTypeInsn(opcode, type);
      }
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.DUP && duplicate) {
        duplicate = false;
      } else {
        super.visitInsn(opcode);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (opcode == Opcodes.INVOKESPECIAL
          && owner.equals(GROUP)
          && name.equals("<init>")
          && !open.isEmpty()) {
        open.pop();
        String created = descriptor.replace(")V", ")L" + GROUP + ";");
        super.visitMethodInsn(Opcodes.INVOKESTATIC, FACTORY, "create", created, false);
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }
  }
}
