import { parseJson } from './parse-json';
import { parseSchema } from './types/parse-type';
import { printType } from './types/print-type';
import { destinationView, sourceView } from './views';

const schemaWith = (flags: string): string => {
  const leaf = `{"name":"x","type":{"kind":"year"}${flags},"nullable":true,"description":""}`;
  const object = `{"kind":"object","properties":[${leaf}]}`;
  const types = [
    object,
    `{"kind":"array","elementType":${object},"minElements":1}`,
    `{"kind":"map","elementType":{"kind":"array","elementType":${object}}}`,
  ];
  const properties = types.map(
    (type, index) => `{"name":"p${index}","type":${type}${flags},"description":"d"}`,
  );
  return `{"kind":"object","properties":[${properties.join(',')}]}`;
};

const ALL = ',"createRequired":true,"updateRequired":true,"readOptional":true';

it.each([
  ['source', sourceView, ',"readOptional":true'],
  ['destination', destinationView, ',"createRequired":true,"updateRequired":true'],
] as const)('the %s view changes its flags at every depth and nothing else', (_, view, kept) => {
  const schema = parseSchema(parseJson(schemaWith(ALL)));
  expect(printType(view(schema))).toBe(schemaWith(kept));
  expect(printType(schema)).toBe(schemaWith(ALL));
});
