/** What the runtime knows of the virtual machine's compilers. */
@NullMarked
package dev.mely.jit;

import org.jspecify.annotations.NullMarked;
