import type { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import {
  BatchLogRecordProcessor,
  type LogRecordProcessor,
  type ReadableLogRecord,
} from '@opentelemetry/sdk-logs';
import { Backlog, type BacklogEvents } from './backlog';

/** Exports log records in batches; those beyond the limit of the backlog are dropped. */
export const exportLogRecords = (
  exporter: OTLPLogExporter,
  events: BacklogEvents,
): LogRecordProcessor => {
  const backlog = new Backlog<ReadableLogRecord>(events);
  const batches = new BatchLogRecordProcessor({
    exporter: {
      export: backlog.watched((records, onResult) => {
        exporter.export(records, onResult);
      }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
  });
  return {
    onEmit: (record) => {
      if (backlog.admit()) batches.onEmit(record);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
};
