import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { type AnyValueMap, type Logger, SeverityNumber } from '@opentelemetry/api-logs';

const SEVERITIES: ReadonlyMap<unknown, SeverityNumber> = new Map([
  ['trace', SeverityNumber.TRACE],
  ['debug', SeverityNumber.DEBUG],
  ['info', SeverityNumber.INFO],
  ['warn', SeverityNumber.WARN],
  ['error', SeverityNumber.ERROR],
  ['fatal', SeverityNumber.FATAL],
]);

type Line = Readonly<Record<string, unknown>>;

const parse = (line: string): Line | undefined => {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return undefined;
  }
};

const contextOf = ({ trace_id: traceId, span_id: spanId }: Line) =>
  typeof traceId === 'string' && typeof spanId === 'string'
    ? trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED })
    : ROOT_CONTEXT;

/** The class of an error, with which its stack begins: what a line has as its type was determined after redaction. */
const classIn = (stack: unknown): string | undefined =>
  typeof stack === 'string' ? /^[\w$.]+(?=:|\n|$)/.exec(stack)?.[0] : undefined;

/** Names in place of those by which the logger writes the error of a line, by the conventions. */
const errorMembers = (err: unknown): AnyValueMap => {
  if (typeof err !== 'object' || err === null) return {};
  const { type, message, stack, ...rest } = err as AnyValueMap;
  return {
    'exception.type': classIn(stack) ?? type,
    'exception.message': message,
    'exception.stacktrace': stack,
    ...(Object.keys(rest).length > 0 && { 'exception.details': rest }),
  };
};

/**
 * Makes a record of a line of the log: the message is its body, further members are its attributes. The line was redacted
 * before. A line that was redacted so that it is no JSON any more is the body as a whole.
 */
export const takeLine =
  (logger: Pick<Logger, 'emit'>) =>
  (text: string): void => {
    const line = parse(text);
    if (line === undefined) return logger.emit({ body: text.trimEnd() });
    const { level, time, msg, service: _, trace_id: __, span_id: ___, err, ...members } = line;
    const severityNumber = SEVERITIES.get(level);
    logger.emit({
      ...(typeof time === 'string' && { timestamp: new Date(time) }),
      ...(severityNumber !== undefined && { severityNumber, severityText: String(level) }),
      body: typeof msg === 'string' ? msg : '',
      attributes: { ...(members as AnyValueMap), ...errorMembers(err) },
      context: contextOf(line),
    });
  };
