package dev.mely;

import dev.mely.kit.ChangingLoader;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Loads the runtime with a stop before each access to what threads share: VarHandles, atomics,
 * volatile fields, queues, monitors. See {@link Strand}. So no access can be forgotten. JCTools'
 * queues are left as they are: each of their operations is one action.
 */
final class SteppingLoader extends ChangingLoader {
  private static final String STRAND = "dev/mely/Strand";

  private final @Nullable AtomicAccess access;
  private final AtomicAccess.Way way;

  /**
   * @param first where to look for a class first: there may be a bug in it
   */
  SteppingLoader(Path first) {
    this(first, null, AtomicAccess.Way.WHOLE);
  }

  /** The same, where one access is made in a way of its own. */
  SteppingLoader(Path first, @Nullable AtomicAccess access, AtomicAccess.Way way) {
    super(first, Mely.class);
    this.access = access;
    this.way = way;
  }

  @Override
  protected void change(ClassNode type) {
    if (access != null && access.isIn(type)) {
      access.change(type, way);
    }
    Set<String> volatiles =
        type.fields.stream()
            .filter(field -> (field.access & Opcodes.ACC_VOLATILE) != 0)
            .map((FieldNode field) -> field.name)
            .collect(Collectors.toSet());
    for (MethodNode method : type.methods) {
      for (AbstractInsnNode instruction : method.instructions.toArray()) {
        change(type, method, instruction, volatiles);
      }
      if ((method.access & Opcodes.ACC_SYNCHRONIZED) != 0) {
        enterAndExit(type, method);
      }
    }
  }

  private static void change(
      ClassNode type, MethodNode method, AbstractInsnNode at, Set<String> volatiles) {
    if (at instanceof FieldInsnNode field) {
      boolean inside = method.name.equals("<init>") || method.name.equals("<clinit>");
      if (!inside && field.owner.equals(type.name) && volatiles.contains(field.name)) {
        method.instructions.insertBefore(at, call("point", "()V"));
      }
    } else if (at.getOpcode() == Opcodes.MONITORENTER) {
      method.instructions.set(at, call("enter", "(Ljava/lang/Object;)V"));
    } else if (at.getOpcode() == Opcodes.MONITOREXIT) {
      method.instructions.set(at, call("exit", "(Ljava/lang/Object;)V"));
    } else if (at instanceof MethodInsnNode called) {
      if (called.owner.equals("java/lang/Object") && called.name.equals("wait")) {
        method.instructions.set(at, call("await", "(Ljava/lang/Object;)V"));
      } else if (called.name.equals("notifyAll")) {
        method.instructions.set(at, call("wakeAll", "(Ljava/lang/Object;)V"));
      } else if (called.owner.endsWith("/LockSupport") && !called.name.equals("parkNanos")) {
        method.instructions.set(at, call(called.name, called.desc));
      } else if (called.name.equals("onSpinWait")) {
        method.instructions.set(at, call("spin", "()V"));
      } else if (isShared(called)) {
        method.instructions.insertBefore(at, call("point", "()V"));
      }
    }
  }

  private static boolean isShared(MethodInsnNode called) {
    boolean queue = called.owner.endsWith("AtomicArrayQueue") || called.owner.endsWith("$Lane");
    return !called.name.equals("<init>")
        && (queue
            || called.owner.equals("java/lang/invoke/VarHandle")
            || called.owner.startsWith("java/util/concurrent/atomic/Atomic"));
  }

  /** A synchronized method enters the schedule's own monitor, and leaves it however it ends. */
  private static void enterAndExit(ClassNode type, MethodNode method) {
    method.access &= ~Opcodes.ACC_SYNCHRONIZED;
    LabelNode begin = new LabelNode();
    LabelNode end = new LabelNode();
    LabelNode thrown = new LabelNode();
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at.getOpcode() >= Opcodes.IRETURN && at.getOpcode() <= Opcodes.RETURN) {
        method.instructions.insertBefore(at, onThis("exit"));
      }
    }
    InsnList before = onThis("enter");
    before.add(begin);
    method.instructions.insert(before);
    method.instructions.add(end);
    method.instructions.add(thrown);
    Object[] locals = {type.name};
    Object[] stack = {"java/lang/Throwable"};
    method.instructions.add(new FrameNode(Opcodes.F_NEW, 1, locals, 1, stack));
    method.instructions.add(onThis("exit"));
    method.instructions.add(new InsnNode(Opcodes.ATHROW));
    method.tryCatchBlocks.add(new TryCatchBlockNode(begin, end, thrown, null));
  }

  private static InsnList onThis(String name) {
    InsnList list = new InsnList();
    list.add(new VarInsnNode(Opcodes.ALOAD, 0));
    list.add(call(name, "(Ljava/lang/Object;)V"));
    return list;
  }

  private static MethodInsnNode call(String name, String descriptor) {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, STRAND, name, descriptor, false);
  }
}
