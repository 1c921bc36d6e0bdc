import type { IncomingHttpHeaders } from 'node:http';
import {
  compileCodec,
  Invalid,
  isJsonObject,
  JsonSyntaxError,
  JsonText,
  newRecord,
  parseJson,
  pointer,
  type Json,
  type JsonObject,
} from '@penstock/schema';
import {
  compileMapping,
  OutputValidationError,
  TransformationError,
  type CompiledMapping,
} from '@penstock/transformations';
import type { Form } from '@penstock/settings';
import type { WebhookRequest } from '../connector/connector';
import { REQUEST_SCHEMA, SENT_EVENT_SCHEMA } from './webhook-schemas';

const codec = compileCodec(SENT_EVENT_SCHEMA);

/** Expressions by field of an event. */
export const webhookMappingForm: Form = {
  type: { kind: 'map', elementType: { kind: 'string' } },
  secret: false,
  check: (json, path, issues) => {
    if (!isJsonObject(json)) {
      issues.push({ path, message: 'must be an object' });
      return json;
    }
    const bad = [...json].filter(([, expression]) => typeof expression !== 'string');
    for (const [key] of bad)
      issues.push({ path: path + pointer(key), message: 'must be a string' });
    if (bad.length === 0) issues.push(...compileIssues(json, path));
    return json;
  },
  mapSecrets: (json) => json,
};

/** @param mapping has passed the form. */
export const compileWebhookMapping = (mapping: JsonObject): CompiledMapping =>
  compileMapping(
    new Map(Array.from(mapping, ([key, expression]) => [key, expression as string])),
    REQUEST_SCHEMA,
    SENT_EVENT_SCHEMA,
  );

const compileIssues = (mapping: JsonObject, path: string): Invalid['issues'] => {
  try {
    compileWebhookMapping(mapping);
    return [];
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return error.issues.map((issue) => ({ ...issue, path: path + issue.path }));
  }
};

/**
 * JSON text of the event that a request stands for.
 *
 * @throws Invalid when the body is not JSON, or an expression cannot be applied to it.
 */
export const mapRequest = (mapping: CompiledMapping, request: WebhookRequest): string => {
  const record = newRecord();
  record['body'] = JsonText.of(readBody(request.body));
  record['headers'] = textHeaders(request.headers);
  record['query'] = request.query;
  try {
    return codec.encode(mapping.apply(record, 'None'));
  } catch (error) {
    if (error instanceof TransformationError || error instanceof OutputValidationError)
      throw new Invalid([{ path: '', message: error.message }]);
    throw error;
  }
};

const readBody = (body: Uint8Array): Json => {
  try {
    return parseJson(Buffer.from(body).toString());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Invalid([{ path: error.path, message: error.message }]);
  }
};

const textHeaders = (headers: IncomingHttpHeaders): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')]],
    ),
  );
