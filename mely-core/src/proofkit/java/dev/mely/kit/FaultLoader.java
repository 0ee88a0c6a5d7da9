package dev.mely.kit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/**
 * Loads the runtime with a call of {@link Fault#at} at each place that could fail: where it makes
 * an object or an array, adds to a collection or a queue, or calls what a user has written. So no
 * place can be forgotten.
 */
public final class FaultLoader extends ChangingLoader {
  private static final String FAULT = "dev/mely/kit/Fault";

  /** What may fail as a whole: what a user may have written, and calls of another layer. */
  private static final Pattern CALLS =
      Pattern.compile(
          "dev/mely/(ErrorHandler|spi/Poller)\\..*|dev/mely/Handler\\.(isDroppable|stage)"
              + "|dev/mely/Mely\\.(register|tryRegister|submit|execute|schedule|newColor).*"
              + "|io/netty/channel/IoHandler\\.(run|register|wakeup|destroy|prepareToDestroy)"
              + "|io/netty/channel/IoHandle\\.(handle|registered|unregistered|close)");

  /** The same, where the event counts as run or rejected even so: it fails at its end. */
  private static final Pattern HANDLING = Pattern.compile("dev/mely/Handler\\.(handle|rejected)");

  /** What grows, or makes an iterator. */
  private static final Pattern GROWING =
      Pattern.compile(
          "(java/util/(?!concurrent/atomic/Atomic|Objects).*|dev/mely/CoreQueue\\$Lane"
              + "|java/lang/ThreadLocal)\\.(add|offer|put|set|compute|increment|toArray|iterator"
              + "|forEach).*");

  private final List<String> places = new ArrayList<>();

  /**
   * @param first where to look for a class first: there may be a bug in it
   * @param one class of the runtime in the package
   */
  public FaultLoader(Path first, Class<?> one) {
    super(first, one);
  }

  /** The places of all classes that have been loaded so far, by number. */
  public List<String> places() {
    return places;
  }

  @Override
  protected void change(ClassNode type) {
    for (MethodNode method : type.methods) {
      if (!method.name.equals("<clinit>")) {
        change(type, method);
      }
    }
  }

  private void change(ClassNode type, MethodNode method) {
    int line = 0;
    for (AbstractInsnNode at : method.instructions.toArray()) {
      if (at instanceof LineNumberNode number) {
        line = number.line;
      } else if (mayFail(at)) {
        InsnList call = new InsnList();
        call.add(new IntInsnNode(Opcodes.SIPUSH, places.size()));
        call.add(new MethodInsnNode(Opcodes.INVOKESTATIC, FAULT, "at", "(I)V", false));
        // A frame may name the place of NEW, which must not move away from its label.
        if (at.getOpcode() == Opcodes.NEW
            || (at instanceof MethodInsnNode called && matches(HANDLING, called))) {
          method.instructions.insert(at, call);
        } else {
          method.instructions.insertBefore(at, call);
        }
        String name = type.name.substring(type.name.lastIndexOf('/') + 1);
        places.add(name + "." + method.name + ", line " + line + ": " + what(at));
      }
    }
  }

  private static boolean mayFail(AbstractInsnNode at) {
    if (at instanceof MethodInsnNode called) {
      return matches(CALLS, called) || matches(GROWING, called) || matches(HANDLING, called);
    }
    if (at instanceof InvokeDynamicInsnNode made) {
      return Type.getArgumentTypes(made.desc).length > 0;
    }
    return switch (at.getOpcode()) {
      case Opcodes.NEW -> !((TypeInsnNode) at).desc.matches(".*(Exception|Error)");
      case Opcodes.NEWARRAY, Opcodes.ANEWARRAY, Opcodes.MULTIANEWARRAY -> true;
      default -> false;
    };
  }

  private static boolean matches(Pattern pattern, MethodInsnNode called) {
    return pattern.matcher(called.owner + "." + called.name).matches();
  }

  private static String what(AbstractInsnNode at) {
    if (at instanceof MethodInsnNode called) {
      return called.owner.substring(called.owner.lastIndexOf('/') + 1) + "." + called.name;
    }
    if (at instanceof TypeInsnNode made) {
      return "new " + made.desc.substring(made.desc.lastIndexOf('/') + 1);
    }
    return at instanceof InvokeDynamicInsnNode made ? made.name : "new array";
  }
}
