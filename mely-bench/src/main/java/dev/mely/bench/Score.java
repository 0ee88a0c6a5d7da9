package dev.mely.bench;

/**
 * The figure by which a benchmark compares.
 *
 * @param figure its name among a sample's figures
 * @param title what the table calls it
 * @param unit how much of the figure is one in the table
 * @param decimals digits after the point
 * @param moreIsBetter whether a greater value is the better one
 */
public record Score(String figure, String title, double unit, int decimals, boolean moreIsBetter) {}
