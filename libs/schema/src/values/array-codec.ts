import { isJsonArray, type Json } from '../json';
import { type JsonReader, OPEN_BRACKET } from '../json-reader';
import type { ArrayType } from '../type';
import type { Value } from '../value';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

const EXPECTED = 'an array';

export class ArrayCodec implements Codec {
  constructor(
    private readonly type: ArrayType,
    private readonly element: Codec,
  ) {}

  read(reader: JsonReader): Value | Fault {
    if (reader.peek() !== OPEN_BRACKET) return refuseNext(reader, EXPECTED);
    const read: (Value | Fault)[] = [];
    for (let more = reader.openArray(); more; more = reader.nextElement())
      read.push(this.element.read(reader));
    return this.accept(read);
  }

  decode(json: Json): Value | Fault {
    if (!isJsonArray(json)) return Fault.of(`must be ${EXPECTED}`);
    return this.accept(json.map((element) => this.element.decode(element)));
  }

  check(value: Value): Fault | undefined {
    if (!isArray(value)) return Fault.of(`must be ${EXPECTED}`);
    const accepted = this.accept(value.map((element) => this.element.check(element) ?? element));
    return accepted instanceof Fault ? accepted : undefined;
  }

  encode(value: Value): string {
    let text = '';
    for (const element of value as readonly Value[])
      text += (text && ',') + this.element.encode(element);
    return `[${text}]`;
  }

  text(value: Value): string {
    return this.encode(value);
  }

  toJson(value: Value): Json {
    return (value as readonly Value[]).map((element) => this.element.toJson(element));
  }

  /** The elements, unless one of them is a fault, or they are too few, too many, or repeated. */
  private accept(elements: readonly (Value | Fault)[]): Value | Fault {
    const { minElements, maxElements, uniqueElements } = this.type;
    const own: string[] = [];
    if (elements.length < minElements) own.push(`must have at least ${minElements} elements`);
    if (elements.length > maxElements) own.push(`must have at most ${maxElements} elements`);
    const faults = faultsOf(elements);
    if (uniqueElements) addRepeated(elements, faults);
    if (own.length > 0 || faults.size > 0) return Fault.gather(own, faults);
    return elements as readonly Value[];
  }
}

const isArray = (value: Value): value is readonly Value[] => Array.isArray(value);

const faultsOf = (elements: readonly (Value | Fault)[]): Map<number, Fault> => {
  const faults = new Map<number, Fault>();
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index];
    if (element instanceof Fault) faults.set(index, element);
  }
  return faults;
};

/** Canonical values are the same when they are equal, and NaN is the same as NaN: what a Map compares by. */
const addRepeated = (elements: readonly (Value | Fault)[], faults: Map<number, Fault>): void => {
  const first = new Map<Value | Fault, number>();
  for (const [index, element] of elements.entries()) {
    const before = first.get(element);
    if (before === undefined) first.set(element, index);
    else faults.set(index, Fault.of(`repeats element ${before}`));
  }
};
