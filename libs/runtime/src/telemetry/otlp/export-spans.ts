import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { Backlog, type BacklogEvents } from './backlog';

/** Exports spans in batches; those beyond the limit of the backlog are dropped. */
export const exportSpans = (exporter: OTLPTraceExporter, events: BacklogEvents): SpanProcessor => {
  const backlog = new Backlog<ReadableSpan>(events);
  const batches = new BatchSpanProcessor({
    exporter: {
      export: backlog.watched((spans, onResult) => {
        exporter.export(spans, onResult);
      }),
      shutdown: () => exporter.shutdown(),
    },
  });
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (backlog.admit()) batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};
