import { Args } from '@oclif/core'
import { metricBuckets, metricGroups, metricNames, metricWindows } from '#client/words'
import type { Reply } from '#contract/define'
import type { metrics } from '#contract/metrics'
import { ApiCommand } from '../command.ts'
import { given, oneOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { machine } from '../output/format.ts'
import { charts, seriesOf, seriesView, timeseriesView } from '../views/metrics.ts'

const chartKinds = ['line', 'bar', 'none'] as const

export default class Metrics extends ApiCommand<typeof Metrics> {
  static override summary = 'Show a metric of the workspace over time'
  static override description =
    'Closed issues count when they became DONE, missions while they are not over, runs when they began, and costs ' +
    'when a run ended. Steps are in UTC. What can be grouped by what stands in the rules of work. At a terminal the ' +
    'four largest series are drawn, each with axes of its own.'
  static override hiddenAliases = ['metrics:timeseries']
  static override examples = [
    '$ <%= config.bin %> metrics',
    '$ <%= config.bin %> metrics runs_count --window 7d --bucket 1d --group-by crew',
    '$ <%= config.bin %> metrics cost_usd --window 30d --bucket 1d --chart bar',
    "$ <%= config.bin %> metrics cost_usd --jq '.buckets[-1]'",
  ]
  static override args = {
    metric: Args.string({ description: metricNames.join(', '), default: 'issues_closed' }),
  }
  static override flags = {
    window: oneOf(metricWindows, { description: 'how far back; 24h unless given' }),
    bucket: oneOf(metricBuckets, { description: 'length of a step; 1h unless given' }),
    'group-by': oneOf(metricGroups, {
      description: 'one row for each of these, if the metric has it; one for all unless given',
    }),
    chart: oneOf(chartKinds, { description: 'picture above the table; line at a terminal unless given, else none' }),
  }

  async run(): Promise<void> {
    const { window, bucket, 'group-by': group_by } = this.flags
    const called = this.args.metric.toLowerCase().replaceAll('-', '_')
    const metric = metricNames.find((name) => name === called)
    if (!metric) throw new InputError(`"${this.args.metric}" is no metric: ${metricNames.join(', ')}.`)
    const reply = await this.api.metrics.timeseries({ query: given({ metric, window, bucket, group_by }) })
    if (machine(this.out.wanted)) await this.out.show(reply, timeseriesView)
    else await this.draw(reply)
  }

  private async draw(reply: Reply<typeof metrics.timeseries>): Promise<void> {
    const { format } = this.out.wanted
    const series = seriesOf(reply)
    const usual = this.out.terminal && format === 'auto' ? 'line' : 'none'
    const kind = this.flags.chart ?? usual
    if (kind !== 'none' && format === 'auto' && series.length) {
      const { paint, width } = this.out
      this.out.write(`${charts(reply, series, { kind, width, paint })}\n\n`)
    }
    await this.out.list(series, seriesView)
  }
}
