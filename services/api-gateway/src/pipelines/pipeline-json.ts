import type { JsonString, PipelineView, Transformation } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';

/** A pipeline as the API shows it; the numbers of its schemas keep every digit. */
export const pipelineJson = (view: PipelineView): Json =>
  jsonObject<keyof PipelineView>({
    id: view.id,
    name: view.name,
    connector: view.connector,
    connectorType: view.connectorType,
    connection: view.connection,
    connectionRole: view.connectionRole,
    target: view.target,
    enabled: view.enabled,
    eventType: view.eventType,
    filter: parsed(view.filter),
    transformation: transformationJson(view.transformation),
    inSchema: parsed(view.inSchema),
    outSchema: parsed(view.outSchema),
    version: jsonInteger(view.version),
  });

const parsed = (text: JsonString | null): Json => (text === null ? null : parseJson(text));

const transformationJson = (transformation: Transformation | null): Json =>
  transformation === null ? null : parseJson(JSON.stringify(transformation));
