import {
  type Attributes as ApiAttributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceparent, sampledTraceparent } from '../traceparent';
import type { Attributes, Span, SpanEnd, SpanStart, Tracing } from '../tracing';

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const contextOf = (traceparent: string | undefined): SpanContext | undefined => {
  const { traceId, spanId, isSampled } = parseTraceparent(traceparent) ?? {};
  if (traceId === undefined || spanId === undefined) return undefined;
  const traceFlags = isSampled === true ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
};

const parentOf = (traceparent: string | undefined): Context => {
  const context = contextOf(traceparent);
  return context === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, context);
};

const linksTo = (traceparents: readonly string[]): Link[] =>
  traceparents.flatMap((each) => {
    const context = contextOf(each);
    return context === undefined ? [] : [{ context }];
  });

class OtlpSpan implements Span {
  readonly traceparent: string;

  constructor(private readonly span: ApiSpan) {
    const { traceId, spanId } = span.spanContext();
    this.traceparent = sampledTraceparent(traceId, spanId);
  }

  end({ name, attributes, error }: SpanEnd = {}): void {
    const { span } = this;
    if (name !== undefined) span.updateName(name);
    if (attributes !== undefined) span.setAttributes(mutable(attributes));
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** The API's type has mutable arrays, which it does not change. */
const mutable = (attributes: Attributes): ApiAttributes => attributes as ApiAttributes;

/** Spans of the SDK. Contexts are given, never those of the API's global state. */
export class OtlpTracing implements Tracing {
  constructor(private readonly tracer: Tracer) {}

  begin(name: string, { kind, parent, links = [], attributes }: SpanStart): Span | undefined {
    const options = {
      kind: KINDS[kind],
      links: linksTo(links),
      ...(attributes && { attributes: mutable(attributes) }),
    };
    const span = this.tracer.startSpan(name, options, parentOf(parent));
    return span.isRecording() ? new OtlpSpan(span) : undefined;
  }
}
