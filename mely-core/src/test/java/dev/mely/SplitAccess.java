package dev.mely;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * A method that makes an {@link AtomicAccess} in pieces: it reads, stops, and writes. It stands in
 * the class of the access, and is called in its place: the same values are on the stack.
 */
final class SplitAccess {
  private static final String NAME = "inPieces";
  private static final Type OBJECT = Type.getType(Object.class);

  private final MethodInsnNode access;
  private final Type[] arguments;
  private final Type result;
  private final MethodNode method;

  /** How many arguments say where the value is; the last ones are values. */
  private final int places;

  private final Type value;

  private SplitAccess(MethodInsnNode access) {
    this.access = access;
    this.arguments = Type.getArgumentTypes(access.desc);
    this.result = Type.getReturnType(access.desc);
    Type[] all = new Type[arguments.length + 1];
    all[0] = Type.getObjectType(access.owner);
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    this.method =
        new MethodNode(
            Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
            NAME,
            Type.getMethodDescriptor(result, all),
            null,
            null);
    int values =
        switch (access.name) {
          case "compareAndSet" -> 2;
          case "getAndSet", "getAndAdd" -> 1;
          case "putIfAbsent" -> 1;
          case "getAndIncrement", "incrementAndGet", "getAndDecrement", "decrementAndGet" -> 0;
          default -> throw new IllegalArgumentException("no pieces are known of " + access.name);
        };
    this.places = arguments.length - values;
    this.value = valueType();
    switch (access.name) {
      case "compareAndSet" -> compareAndSet();
      case "getAndSet" -> getAndSet();
      case "putIfAbsent" -> putIfAbsent();
      default -> add();
    }
  }

  /** Puts a method in the place of an access. */
  static void replace(MethodInsnNode access, MethodNode in, ClassNode owner) {
    MethodNode method = new SplitAccess(access).method;
    owner.methods.add(method);
    in.instructions.set(
        access,
        new MethodInsnNode(Opcodes.INVOKESTATIC, owner.name, method.name, method.desc, false));
  }

  /** A stop, or one time in two none. */
  static MethodInsnNode stop() {
    return new MethodInsnNode(Opcodes.INVOKESTATIC, "dev/mely/Strand", "between", "()V", false);
  }

  private Type valueType() {
    if (places < arguments.length) {
      Type type = arguments[arguments.length - 1];
      return type.getSort() == Type.OBJECT ? OBJECT : type;
    }
    return access.owner.endsWith("Long") ? Type.LONG_TYPE : Type.INT_TYPE;
  }

  private boolean isMap() {
    return access.owner.endsWith("Map");
  }

  private boolean isHandle() {
    return access.owner.endsWith("VarHandle");
  }

  private void compareAndSet() {
    LabelNode differs = new LabelNode();
    read();
    load(places);
    if (value.getSort() == Type.LONG) {
      add(Opcodes.LCMP);
      method.instructions.add(new JumpInsnNode(Opcodes.IFNE, differs));
    } else {
      int compare = value == OBJECT ? Opcodes.IF_ACMPNE : Opcodes.IF_ICMPNE;
      method.instructions.add(new JumpInsnNode(compare, differs));
    }
    method.instructions.add(stop());
    write(() -> load(places + 1));
    add(Opcodes.ICONST_1);
    add(Opcodes.IRETURN);
    method.instructions.add(differs);
    method.instructions.add(frame());
    add(Opcodes.ICONST_0);
    add(Opcodes.IRETURN);
  }

  private void getAndSet() {
    read();
    method.instructions.add(stop());
    write(() -> load(places));
    end();
  }

  private void putIfAbsent() {
    LabelNode there = new LabelNode();
    read();
    add(Opcodes.DUP);
    method.instructions.add(new JumpInsnNode(Opcodes.IFNONNULL, there));
    method.instructions.add(stop());
    write(() -> load(places));
    method.instructions.add(there);
    FrameNode frame = frame();
    frame.stack = List.of("java/lang/Object");
    method.instructions.add(frame);
    end();
  }

  /** What was read is on the stack, and will be the result. */
  private void add() {
    boolean isLong = value.getSort() == Type.LONG;
    int copy = Type.getArgumentsAndReturnSizes(method.desc) >> 2;
    read();
    method.instructions.add(new VarInsnNode(value.getOpcode(Opcodes.ISTORE), copy));
    method.instructions.add(stop());
    Runnable sum =
        () -> {
          method.instructions.add(new VarInsnNode(value.getOpcode(Opcodes.ILOAD), copy));
          if (places < arguments.length) {
            load(places);
          } else {
            add(isLong ? Opcodes.LCONST_1 : Opcodes.ICONST_1);
          }
          boolean down = access.name.toLowerCase(Locale.ROOT).contains("decrement");
          add(value.getOpcode(down ? Opcodes.ISUB : Opcodes.IADD));
        };
    write(sum);
    if (access.name.endsWith("AndGet")) {
      sum.run();
    } else {
      method.instructions.add(new VarInsnNode(value.getOpcode(Opcodes.ILOAD), copy));
    }
    end();
  }

  /** Reads the value. */
  private void read() {
    Type[] at = Arrays.copyOf(arguments, places);
    Type type = isMap() ? OBJECT : value;
    loadPlaces();
    String name = isMap() || !isHandle() && !isPadded() ? "get" : "getVolatile";
    invoke(name, Type.getMethodDescriptor(type, at));
  }

  private void write(Runnable newValue) {
    Type[] at = Arrays.copyOf(arguments, places + 1);
    at[places] = value;
    loadPlaces();
    newValue.run();
    if (isMap()) {
      invoke("put", Type.getMethodDescriptor(OBJECT, at));
      add(Opcodes.POP);
    } else {
      invoke(
          isHandle() || isPadded() ? "setVolatile" : "set",
          Type.getMethodDescriptor(Type.VOID_TYPE, at));
    }
  }

  private boolean isPadded() {
    return access.owner.endsWith("PaddedInt");
  }

  private void loadPlaces() {
    for (int i = -1; i < places; i++) {
      load(i);
    }
  }

  /** -1: what the access is made on. */
  private void load(int argument) {
    int local = argument < 0 ? 0 : 1;
    for (int i = 0; i < argument; i++) {
      local += arguments[i].getSize();
    }
    Type type = argument < 0 ? OBJECT : arguments[argument];
    method.instructions.add(new VarInsnNode(type.getOpcode(Opcodes.ILOAD), local));
  }

  /** Returns what is on the stack. */
  private void end() {
    if (result == Type.VOID_TYPE) {
      add(value.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
    }
    if (result.getSort() == Type.OBJECT && !result.equals(OBJECT)) {
      method.instructions.add(new TypeInsnNode(Opcodes.CHECKCAST, result.getInternalName()));
    }
    add(result.getOpcode(Opcodes.IRETURN));
  }

  private void add(int opcode) {
    method.instructions.add(new InsnNode(opcode));
  }

  private void invoke(String name, String descriptor) {
    method.instructions.add(
        new MethodInsnNode(Opcodes.INVOKEVIRTUAL, access.owner, name, descriptor, false));
  }

  private FrameNode frame() {
    Object[] locals = new Object[arguments.length + 1];
    locals[0] = access.owner;
    for (int i = 0; i < arguments.length; i++) {
      locals[i + 1] =
          switch (arguments[i].getSort()) {
            case Type.LONG -> Opcodes.LONG;
            case Type.OBJECT -> arguments[i].getInternalName();
            default -> Opcodes.INTEGER;
          };
    }
    return new FrameNode(Opcodes.F_NEW, locals.length, locals, 0, new Object[0]);
  }
}
