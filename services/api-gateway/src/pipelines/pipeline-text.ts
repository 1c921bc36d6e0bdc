import type { PipelineView, RunsView } from '@penstock/contracts';
import { writeJson } from '@penstock/schema';
import { healthJson } from '../health/health-json';
import { objectText } from '../http/json-text';
import { exportTexts, importTexts } from './kind-texts';

const runsText = (runs: RunsView): Record<keyof RunsView, string> => ({
  schedulePeriod: JSON.stringify(runs.schedulePeriod),
  scheduleStart: JSON.stringify(runs.scheduleStart),
  nextRun: JSON.stringify(runs.nextRun),
  running: JSON.stringify(runs.running),
});

/** Writes a pipeline for an answer as JSON text; its schemas are copied as stored, with every digit. */
export const pipelineText = ({
  filter,
  inSchema,
  outSchema,
  imports,
  exports,
  runs,
  ...view
}: PipelineView): string =>
  objectText<string>({
    id: JSON.stringify(view.id),
    name: JSON.stringify(view.name),
    connector: JSON.stringify(view.connector),
    connectorType: JSON.stringify(view.connectorType),
    connection: JSON.stringify(view.connection),
    connectionRole: JSON.stringify(view.connectionRole),
    target: JSON.stringify(view.target),
    enabled: JSON.stringify(view.enabled),
    eventType: JSON.stringify(view.eventType),
    ...(imports !== undefined && importTexts(imports)),
    ...(exports !== undefined && exportTexts(exports)),
    filter: filter ?? 'null',
    transformation: JSON.stringify(view.transformation),
    health: writeJson(healthJson(view.health)),
    inSchema,
    outSchema: outSchema ?? 'null',
    version: JSON.stringify(view.version),
    ...(runs !== undefined && runsText(runs)),
  } satisfies Record<Exclude<keyof PipelineView, 'imports' | 'exports' | 'runs'>, string>);
