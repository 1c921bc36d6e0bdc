import { type JsonReader, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-reader';

/** Up to this many members a list is searched faster than a set is filled. */
const FEW = 12;

/** Passes over the value that stands next, checked as strictly as if it were read. */
export const skipJson = (reader: JsonReader): void => {
  switch (reader.peek()) {
    case QUOTE:
      reader.string();
      return;
    case OPEN_BRACE:
      return skipObject(reader);
    case OPEN_BRACKET:
      return skipArray(reader);
    default:
      skipScalar(reader);
  }
};

const skipScalar = (reader: JsonReader): void => {
  if (!reader.literal('true') && !reader.literal('false') && !reader.literal('null'))
    reader.number();
};

const skipArray = (reader: JsonReader): void => {
  for (let more = reader.openArray(); more; more = reader.nextElement()) skipJson(reader);
};

const skipObject = (reader: JsonReader): void => {
  const few: string[] = [];
  const many = new Set<string>();
  for (let more = reader.openObject(); more; more = reader.nextMember()) {
    const name = reader.memberName();
    if (few.includes(name) || many.has(name)) reader.fail('a member name is repeated');
    if (few.length < FEW) few.push(name);
    else many.add(name);
    skipJson(reader);
  }
};
