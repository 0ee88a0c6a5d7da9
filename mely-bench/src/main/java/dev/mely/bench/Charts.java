package dev.mely.bench;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws results, without a screen. */
public final class Charts {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 520;
  private static final int DPI = 144;
  private static final int PADDING = 18;
  private static final int MANY = 6;
  private static final Color[] COLORS = {
    new Color(0x4C72B0),
    new Color(0xDD8452),
    new Color(0x55A868),
    new Color(0x8172B3),
    new Color(0xC44E52),
    new Color(0x937860)
  };

  static {
    System.setProperty("java.awt.headless", "true");
  }

  private Charts() {}

  /**
   * Draws grouped bars: the height is the median, the whisker its distance to the farthest sample.
   *
   * @param title above the chart
   * @param unit of the height
   * @param groups names below the bars
   * @param series per bar color, a spread for each group
   * @return a chart to write
   */
  public static CategoryChart bars(
      String title, String unit, List<String> groups, Map<String, List<Spread>> series) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .yAxisTitle(unit + " (whiskers: the farthest sample)")
            .build();
    style(chart.getStyler());
    chart.getStyler().setAvailableSpaceFill(series.size() > 1 ? 0.8 : 0.6);
    chart.getStyler().setLegendVisible(series.size() > 1);
    if (groups.size() > MANY) {
      chart.getStyler().setXAxisLabelRotation(90);
      chart.getStyler().setXAxisLabelAlignmentVertical(TextAlignment.Right);
    }
    series.forEach(
        (name, spreads) -> {
          List<Double> medians = spreads.stream().map(s -> finite(s.median())).toList();
          // XChart draws whiskers of equal length up and down: the longer one.
          List<Double> whiskers =
              spreads.stream()
                  .map(s -> finite(Math.max(s.max() - s.median(), s.median() - s.min())))
                  .toList();
          chart.addSeries(name, groups, medians, whiskers);
        });
    double top =
        series.values().stream()
            .flatMap(List::stream)
            .mapToDouble(s -> finite(s.max()))
            .max()
            .orElse(0);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(top > 0 ? 1.1 * top : 1);
    return chart;
  }

  /**
   * Draws grouped bars of several figures, as above.
   *
   * @param title above the chart
   * @param unit of the figures
   * @param figures by the names below the bars
   * @return a chart to write
   */
  public static CategoryChart bars(
      String title, String unit, Results results, Map<String, String> figures) {
    Map<String, List<Spread>> series = new LinkedHashMap<>();
    for (String c : results.contenders()) {
      series.put(c, figures.values().stream().map(f -> results.spread(c, f)).toList());
    }
    return bars(title, unit, List.copyOf(figures.keySet()), series);
  }

  /**
   * Draws a curve per configuration over a quantity.
   *
   * @param title above the chart
   * @param quantity title of the horizontal axis
   * @param unit of the values
   * @param series per curve, its values by quantity, in order
   * @return a chart to write
   */
  public static XYChart curves(
      String title, String quantity, String unit, Map<String, Map<Double, Double>> series) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle(quantity)
            .yAxisTitle(unit)
            .build();
    style(chart.getStyler());
    chart.getStyler().setYAxisDecimalPattern("#,##0.###");
    chart.getStyler().setYAxisMin(0.0);
    series.forEach(
        (name, values) ->
            chart
                .addSeries(
                    name,
                    new ArrayList<>(values.keySet()),
                    values.values().stream().map(Charts::finite).toList())
                .setMarker(SeriesMarkers.CIRCLE));
    return chart;
  }

  /** Writes a sentence below a chart; none if it is empty. Returns the chart. */
  public static CategoryChart captioned(CategoryChart chart, String sentence) {
    chart.setXAxisTitle(sentence);
    return chart;
  }

  private static void style(AxesChartStyler styler) {
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartPadding(PADDING);
    styler.setPlotBorderVisible(false);
    styler.setPlotContentSize(0.96);
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(org.knowm.xchart.style.Styler.LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 16));
    styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
    styler.setSeriesColors(COLORS);
    styler.setErrorBarsColor(Color.DARK_GRAY);
  }

  /**
   * Draws a chart and writes it as PNG and as SVG. On a machine without fonts, prints a message
   * instead; there, some Java versions throw an exception, others an error.
   *
   * @param chart to write
   * @param directory created if it does not exist
   * @param name of the files, without the ending
   * @return both files; empty if the chart could not be drawn
   */
  public static List<Path> write(
      Supplier<? extends Chart<?, ?>> chart, Path directory, String name) {
    Path png = directory.resolve(name + ".png");
    Path svg = directory.resolve(name + ".svg");
    try {
      Files.createDirectories(directory);
      Chart<?, ?> drawn = chart.get();
      BitmapEncoder.saveBitmapWithDPI(drawn, png.toString(), BitmapFormat.PNG, DPI);
      VectorGraphicsEncoder.saveVectorGraphic(drawn, svg.toString(), VectorGraphicsFormat.SVG);
      return List.of(png, svg);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + png, e);
    } catch (RuntimeException | Error e) {
      System.err.println("no picture " + name + ", perhaps for lack of fonts: " + e.getMessage());
      return List.of();
    }
  }

  private static double finite(double value) {
    return Double.isFinite(value) ? value : 0;
  }
}
