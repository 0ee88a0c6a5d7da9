package dev.mely;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * One access of the runtime that is atomic: a read-modify-write of a VarHandle, an atomic, a {@link
 * PaddedInt}, or of a concurrent map; or a monitor.
 *
 * @param type the simple name of the class
 * @param method the method that has it
 * @param operation what it calls, or {@link #MONITOR}
 * @param number which one of its kind in that method, from 1
 */
record AtomicAccess(String type, String method, String operation, int number) {
  /** A synchronized method or block. */
  static final String MONITOR = "synchronized";

  private static final String PACKAGE = "dev/mely/";
  private static final String PADDED = PACKAGE + "PaddedInt";

  /** How an access is made. */
  enum Way {
    /** As it is, after a stop. */
    WHOLE,

    /** In pieces: a read, a stop, and a write. What a monitor guards is not guarded. */
    SPLIT,

    /** As it is, after a stop, and its caller is told that it has succeeded, whether or not. */
    UNHEARD
  }

  /** All that the classes of the package have, in the order of their names. */
  static List<AtomicAccess> all() {
    List<AtomicAccess> all = new ArrayList<>();
    try {
      Path classes =
          Path.of(Mely.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      List<Path> files = new ArrayList<>();
      try (DirectoryStream<Path> found =
          Files.newDirectoryStream(classes.resolve(PACKAGE), "*.class")) {
        found.forEach(files::add);
      }
      files.sort(null);
      for (Path file : files) {
        ClassNode type = new ClassNode();
        new ClassReader(Files.readAllBytes(file)).accept(type, ClassReader.SKIP_FRAMES);
        walk(type, (access, method, at) -> all.add(access));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    return all;
  }

  private interface Visitor {
    /**
     * @param at null: the whole method is synchronized
     */
    void visit(AtomicAccess access, MethodNode method, @Nullable AbstractInsnNode at);
  }

  private static void walk(ClassNode type, Visitor visitor) {
    if (type.name.equals(PADDED)) {
      return; // those who call it make the accesses
    }
    Map<String, Integer> numbers = new HashMap<>();
    String name = type.name.substring(PACKAGE.length());
    for (MethodNode method : List.copyOf(type.methods)) {
      List<@Nullable AbstractInsnNode> found = new ArrayList<>();
      if ((method.access & Opcodes.ACC_SYNCHRONIZED) != 0) {
        found.add(null);
      }
      for (AbstractInsnNode at : method.instructions) {
        if (at.getOpcode() == Opcodes.MONITORENTER
            || at instanceof MethodInsnNode call && isAtomic(call)) {
          found.add(at);
        }
      }
      for (AbstractInsnNode at : found) {
        String operation = at instanceof MethodInsnNode call ? call.name : MONITOR;
        int number = numbers.merge(method.name + " " + operation, 1, Integer::sum);
        visitor.visit(new AtomicAccess(name, method.name, operation, number), method, at);
      }
    }
  }

  private static boolean isAtomic(MethodInsnNode call) {
    return switch (call.owner) {
      case "java/lang/invoke/VarHandle", PADDED ->
          call.name.contains("ompareAnd") || call.name.startsWith("getAnd");
      case "java/util/concurrent/ConcurrentHashMap" -> call.name.equals("putIfAbsent");
      default ->
          call.owner.startsWith("java/util/concurrent/atomic/Atomic")
              && call.name.matches(".*And.*");
    };
  }

  /** Whether it may fail, and says so. */
  boolean mayFail() {
    return operation.equals("compareAndSet");
  }

  boolean isIn(ClassNode other) {
    return other.name.equals(PACKAGE + type);
  }

  /** Makes this access of a class in another way. */
  void change(ClassNode owner, Way way) {
    walk(
        owner,
        (access, method, at) -> {
          if (!access.equals(this)) {
            return;
          }
          if (at instanceof MethodInsnNode call) {
            if (way == Way.SPLIT) {
              SplitAccess.replace(call, method, owner);
              return;
            }
            method.instructions.insertBefore(at, SplitAccess.stop());
            if (way == Way.UNHEARD) {
              method.instructions.insert(at, new InsnNode(Opcodes.ICONST_1));
              method.instructions.insert(at, new InsnNode(Opcodes.POP));
            }
          } else {
            stopEverywhere(owner);
            if (way == Way.SPLIT) {
              open(method, at);
            }
          }
        });
  }

  /** What a monitor guards are plain fields as well. */
  private static void stopEverywhere(ClassNode owner) {
    for (MethodNode method : owner.methods) {
      if (method.name.startsWith("<")) {
        continue;
      }
      for (AbstractInsnNode at : method.instructions.toArray()) {
        boolean guarded =
            at instanceof FieldInsnNode field && field.owner.startsWith(PACKAGE)
                || at instanceof MethodInsnNode call && !call.name.equals("<init>")
                || at.getOpcode() == Opcodes.AASTORE;
        if (guarded) {
          method.instructions.insertBefore(at, SplitAccess.stop());
        }
      }
    }
  }

  /** Takes a monitor away. */
  private static void open(MethodNode method, @Nullable AbstractInsnNode enter) {
    if (enter == null) {
      method.access &= ~Opcodes.ACC_SYNCHRONIZED;
      return;
    }
    // javac: a block enters once, and leaves wherever it ends; no method here has two of them.
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at.getOpcode() == Opcodes.MONITORENTER || at.getOpcode() == Opcodes.MONITOREXIT) {
        method.instructions.set(at, new InsnNode(Opcodes.POP));
      }
    }
  }

  @Override
  public String toString() {
    return type + "." + method + " " + operation + " " + number;
  }
}
