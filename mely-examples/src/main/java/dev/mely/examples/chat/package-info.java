/** Eve's broadcast chat: what one says, all hear, in one order. */
@NullMarked
package dev.mely.examples.chat;

import org.jspecify.annotations.NullMarked;
