@NullMarked
package dev.mely.netty;

import org.jspecify.annotations.NullMarked;
