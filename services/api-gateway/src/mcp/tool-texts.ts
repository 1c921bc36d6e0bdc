import type { PipelineView, ProfileView, Queries } from '@penstock/contracts';
import { writeJson } from '@penstock/schema';
import { healthJson } from '../health/health-json';
import { objectText } from '../http/json-text';

const arrayText = (texts: readonly string[]): string => `[${texts.join(',')}]`;

/** What a client is told of an answer that has no room for everything. */
const CUT =
  'There are more rows than the answer has room for: select fewer columns or rows, or aggregate.';

/** Rows with their columns; their values are copied as they were read, with every digit. */
export const rowsText = ({ columns, rows, isCut }: Queries['QueryWarehouse']['out']): string =>
  objectText<string>({
    columns: JSON.stringify(columns),
    rows: arrayText(rows),
    rowCount: String(rows.length),
    isCut: String(isCut),
    ...(isCut && { note: JSON.stringify(CUT) }),
  });

export const tablesText = ({ tables, isCut }: Queries['DescribeWarehouse']['out']): string =>
  JSON.stringify({ tables, isCut });

export const profileText = ({
  attributes,
  ...profile
}: ProfileView & { readonly mergedFrom?: string }): string =>
  objectText({
    ...Object.fromEntries(
      Object.entries(profile).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    attributes,
  });

/** @param isCut whether others match. */
export const profilesText = (profiles: readonly string[], isCut: boolean): string =>
  objectText({ profiles: arrayText(profiles), isCut: String(isCut) });

/** What is of use without the definition of the pipeline: what it does, and how it is. */
const pipelineText = ({ health, runs, ...view }: PipelineView): string =>
  objectText<string>({
    id: JSON.stringify(view.id),
    name: JSON.stringify(view.name),
    connection: JSON.stringify(view.connection),
    connector: JSON.stringify(view.connector),
    connectionRole: JSON.stringify(view.connectionRole),
    target: JSON.stringify(view.target),
    eventType: JSON.stringify(view.eventType),
    enabled: String(view.enabled),
    health: writeJson(healthJson(health)),
    ...(runs !== undefined && {
      running: JSON.stringify(runs.running),
      nextRun: JSON.stringify(runs.nextRun),
    }),
  });

/** @param cursor of the page after it; empty: this is the last. */
export const pipelinesText = (pipelines: readonly PipelineView[], cursor: string): string =>
  objectText({
    pipelines: arrayText(pipelines.map(pipelineText)),
    cursor: JSON.stringify(cursor),
  });
