import {
  eventCodec,
  instant,
  type LiveDropped,
  type LiveEvent,
  type LiveOutcome,
  type LiveRecord,
} from '@penstock/contracts';
import { maskedValues, type RecordValue } from '@penstock/schema';
import { eventFrame } from './event-frame';

const textOf = (event: RecordValue, name: string): string => {
  const value = event[name];
  return typeof value === 'string' ? value : '';
};

const timeOf = (event: RecordValue): string => {
  const ms = Date.parse(textOf(event, 'receivedAt'));
  return Number.isNaN(ms) ? '' : instant(new Date(ms));
};

/** The members of an event in the stream, without the event itself. */
const headOf = (
  { event: id, source, receipt, pipelines }: LiveEvent,
  event: RecordValue,
): object => ({
  id,
  source,
  messageId: textOf(event, 'messageId'),
  type: textOf(event, 'type'),
  receivedAt: timeOf(event),
  receipt,
  pipelines: pipelines.map(({ pipeline, version, connection, state, code }) => ({
    pipeline,
    pipelineVersion: version,
    connection,
    state,
    code,
  })),
});

const outcomeOf = ({
  event,
  source,
  pipeline,
  version,
  connection,
  state,
  code,
  attempts,
  status,
  at,
}: LiveOutcome): object => ({
  event,
  source,
  pipeline,
  pipelineVersion: version,
  connection,
  state,
  code,
  attempts,
  status,
  at,
});

/** A record of the topic as those who watch get it. What is the same for all of them is made once. */
export class LiveSample {
  private withValues: string | undefined;
  private masked: string | undefined;

  private constructor(
    readonly offset: number,
    readonly record: LiveRecord,
    private readonly text: string,
    /** The event as filters see it; empty for other records. */
    readonly event: RecordValue,
  ) {}

  /** @throws Error when this version cannot read the text of the event. */
  static ofEvent(offset: number, record: LiveEvent, text: string): LiveSample {
    return new LiveSample(offset, record, text, eventCodec.parse(text));
  }

  static ofOther(offset: number, record: LiveOutcome | LiveDropped): LiveSample {
    return new LiveSample(offset, record, '', {});
  }

  /** The bytes of the stream. @param withValues whether the values of the event are in it. */
  frame(withValues: boolean): string {
    if (withValues) return (this.withValues ??= this.written(true));
    return (this.masked ??= this.written(false));
  }

  private written(withValues: boolean): string {
    const { offset, record, text } = this;
    if (record.kind === 'outcome')
      return eventFrame('outcome', JSON.stringify(outcomeOf(record)), offset);
    if (record.kind === 'dropped') {
      const { source, count } = record;
      return eventFrame('dropped', JSON.stringify({ reason: 'Rate', source, count }), offset);
    }
    const head = JSON.stringify(headOf(record, this.event)).slice(0, -1);
    // The text has every digit of its numbers.
    const event = withValues ? text : maskedValues(text);
    const data = `${head},"event":${event},"isMasked":${String(!withValues)}}`;
    return eventFrame('event', data, offset);
  }
}
