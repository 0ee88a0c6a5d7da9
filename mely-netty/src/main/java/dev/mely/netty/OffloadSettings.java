package dev.mely.netty;

import org.jspecify.annotations.Nullable;

/**
 * The settings of off-loaded handlers.
 *
 * @param subject the class that messages cost by, and whose annotations are read
 * @param maxMessages beyond which reads are held back
 * @param maxBytes beyond which reads are held back
 * @param credit of an HTTP/2 stream; null: none
 * @param headFollows whether a first message follows as soon as the channel is active
 */
record OffloadSettings(
    Class<?> subject,
    int maxMessages,
    int maxBytes,
    @Nullable Credit credit,
    boolean headFollows) {}
