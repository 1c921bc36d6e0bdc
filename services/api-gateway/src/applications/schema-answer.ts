import { isJsonArray, isJsonObject, type Json, parseJson } from '@penstock/schema';

/**
 * Writes `charLen` beside each `maxLength`: the API document shows it in schemas of an application. Only string types have a
 * member of this name.
 */
const withCharLen = (json: Json): Json => {
  if (isJsonArray(json)) return json.map(withCharLen);
  if (!isJsonObject(json)) return json;
  return new Map(
    [...json].flatMap(([name, value]): [string, Json][] =>
      name === 'maxLength'
        ? [
            [name, value],
            ['charLen', value],
          ]
        : [[name, withCharLen(value)]],
    ),
  );
};

/** The schema of an application as its answers show it; null where there is none. */
export const schemaAnswer = (text: string | null): Json =>
  text === null ? null : withCharLen(parseJson(text));
