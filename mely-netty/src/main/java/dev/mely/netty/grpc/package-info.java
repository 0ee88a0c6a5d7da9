/** Calls of gRPC as colors. gRPC's API is an optional dependency. */
@NullMarked
package dev.mely.netty.grpc;

import org.jspecify.annotations.NullMarked;
