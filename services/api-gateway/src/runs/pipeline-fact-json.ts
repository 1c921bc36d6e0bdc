import type { PipelineFactView } from '@penstock/contracts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@penstock/schema';
import { jsonObject } from '../http/json-object';

/** Members that facts hold as JSON texts. */
const TEXTS: ReadonlySet<string> = new Set(['filter', 'inSchema', 'outSchema', 'formatSettings']);
/** Members that hold such members. */
const HOLDERS: ReadonlySet<string> = new Set(['imports', 'source']);

/** Shows JSON texts as what they say. */
const opened = (data: JsonObject): JsonObject =>
  new Map(
    Array.from(data, ([name, value]): [string, Json] => {
      if (TEXTS.has(name) && typeof value === 'string') return [name, parseJson(value)];
      if (HOLDERS.has(name) && isJsonObject(value)) return [name, opened(value)];
      return [name, value];
    }),
  );

/** A fact in the history of a pipeline, in answers. */
export const pipelineFactJson = (fact: PipelineFactView): JsonObject => {
  const data = parseJson(fact.data);
  return jsonObject<keyof PipelineFactView>({
    ...fact,
    data: isJsonObject(data) ? opened(data) : data,
  });
};
