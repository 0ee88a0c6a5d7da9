package dev.mely.bench;

/**
 * The figure that a benchmark compares.
 *
 * @param figure its name among a sample's figures
 * @param title in the table
 * @param unit divisor of the figure in the table
 * @param decimals digits after the point
 * @param moreIsBetter whether a greater value is better
 */
public record Score(String figure, String title, double unit, int decimals, boolean moreIsBetter) {}
