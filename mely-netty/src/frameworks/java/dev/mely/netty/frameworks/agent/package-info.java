/** Frameworks that make their event loop groups themselves, started with the agent. */
package dev.mely.netty.frameworks.agent;
