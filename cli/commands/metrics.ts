import { Args } from '@oclif/core'
import { metricBuckets, metricGroups, metricNames, metricWindows } from '#client/words'
import { ApiCommand } from '../command.ts'
import { given, oneOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { machine } from '../output/format.ts'
import { seriesOf, seriesView, timeseriesView } from '../views/metrics.ts'

export default class Metrics extends ApiCommand<typeof Metrics> {
  static override summary = 'Show a metric of the workspace over time'
  static override description =
    'Closed issues count when they became DONE, missions while they are not over, runs when they began, and costs ' +
    'when a run ended. Steps are in UTC. What can be grouped by what stands in the rules of work.'
  static override hiddenAliases = ['metrics:timeseries']
  static override examples = [
    '$ <%= config.bin %> metrics',
    '$ <%= config.bin %> metrics runs_count --window 7d --bucket 1d --group-by crew',
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
  }

  async run(): Promise<void> {
    const { window, bucket, 'group-by': group_by } = this.flags
    const called = this.args.metric.toLowerCase().replaceAll('-', '_')
    const metric = metricNames.find((name) => name === called)
    if (!metric) throw new InputError(`"${this.args.metric}" is no metric: ${metricNames.join(', ')}.`)
    const reply = await this.api.metrics.timeseries({ query: given({ metric, window, bucket, group_by }) })
    if (machine(this.out.wanted)) await this.out.show(reply, timeseriesView)
    else await this.out.list(seriesOf(reply), seriesView)
  }
}
