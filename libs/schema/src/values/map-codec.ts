import { isJsonObject, type Json } from '../json';
import { type JsonReader, OPEN_BRACE } from '../json-reader';
import { compareCodePoints } from '../texts/code-points';
import type { Value } from '../value';
import { writeJsonString } from '../write-json';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

const EXPECTED = 'an object';

type ValueMap = ReadonlyMap<string, Value>;

export class MapCodec implements Codec {
  constructor(private readonly element: Codec) {}

  read(reader: JsonReader): Value | Fault {
    if (reader.peek() !== OPEN_BRACE) return refuseNext(reader, EXPECTED);
    const read = new Map<string, Value | Fault>();
    for (let more = reader.openObject(); more; more = reader.nextMember()) {
      const key = reader.memberName();
      if (read.has(key)) reader.fail('a member name is repeated');
      read.set(key, this.element.read(reader));
    }
    return accept(read);
  }

  decode(json: Json): Value | Fault {
    if (!isJsonObject(json)) return Fault.of(`must be ${EXPECTED}`);
    const read = new Map<string, Value | Fault>();
    for (const [key, value] of json) read.set(key, this.element.decode(value));
    return accept(read);
  }

  check(value: Value): Fault | undefined {
    if (!(value instanceof Map)) return Fault.of('must be a map');
    const checked = new Map<string, Value | Fault>();
    for (const [key, element] of value as ValueMap)
      checked.set(key, this.element.check(element) ?? element);
    const accepted = accept(checked);
    return accepted instanceof Fault ? accepted : undefined;
  }

  encode(value: Value): string {
    let text = '';
    for (const [key, element] of sorted(value as ValueMap))
      text += `${text && ','}${writeJsonString(key)}:${this.element.encode(element)}`;
    return `{${text}}`;
  }

  text(value: Value): string {
    return this.encode(value);
  }

  toJson(value: Value): Json {
    return new Map(
      sorted(value as ValueMap).map(([key, element]) => [key, this.element.toJson(element)]),
    );
  }
}

const sorted = (map: ValueMap): [string, Value][] =>
  [...map].sort(([a], [b]) => compareCodePoints(a, b));

const accept = (elements: ReadonlyMap<string, Value | Fault>): Value | Fault => {
  const faults = new Map<string, Fault>();
  for (const [key, element] of elements) if (element instanceof Fault) faults.set(key, element);
  return faults.size > 0 ? Fault.gather([], faults) : (elements as ValueMap);
};
