import { isJsonObject, type Json } from '../json';
import { type JsonReader, OPEN_BRACE } from '../json-reader';
import { JsonText } from '../json-text';
import { skipJson } from '../skip-json';
import type { Property } from '../type';
import { newRecord, type RecordValue, type Value } from '../value';
import { type Codec, refuseNext } from './codec';
import { Fault } from './fault';

const EXPECTED = 'an object';
const NULL = 0x6e;

/** A property, ready for use. */
export interface Member {
  readonly property: Property;
  readonly codec: Codec;
  /** Its place in the schema. */
  readonly index: number;
  /** The name and its colon, as JSON. */
  readonly label: string;
  /** Null is a value of its own here: a nullable property of any kind but json, whose null is JSON. */
  readonly takesNull: boolean;
}

export class ObjectCodec implements Codec {
  private readonly byName: ReadonlyMap<string, Member>;
  private readonly required: readonly string[];

  /** @param partial any member may be missing, at this depth. */
  constructor(
    private readonly members: readonly Member[],
    partial: boolean,
  ) {
    this.byName = new Map(members.map((member) => [member.property.name, member]));
    this.required = members
      .map(({ property }) => property)
      .filter(({ readOptional }) => !partial && !readOptional)
      .map(({ name }) => name);
  }

  read(reader: JsonReader): Value | Fault {
    if (reader.peek() !== OPEN_BRACE) return refuseNext(reader, EXPECTED);
    const gathered = new Gathered();
    let next = 0;
    for (let more = reader.openObject(); more; more = reader.nextMember()) {
      const name = reader.memberName();
      const member = this.find(name, next);
      if (member) {
        next = member.index + 1;
        if (gathered.has(member.property.name)) reader.fail('a member name is repeated');
        gathered.add(member.property.name, readMember(member, reader));
      } else {
        skipJson(reader);
        gathered.add(name, UNKNOWN);
      }
    }
    return gathered.accept(this.required);
  }

  decode(json: Json): Value | Fault {
    if (!isJsonObject(json)) return Fault.of(`must be ${EXPECTED}`);
    const gathered = new Gathered();
    for (const [name, value] of json) {
      const member = this.byName.get(name);
      gathered.add(name, member ? decodeMember(member, value) : UNKNOWN);
    }
    return gathered.accept(this.required);
  }

  check(value: Value): Fault | undefined {
    if (!isRecord(value)) return Fault.of(`must be ${EXPECTED}`);
    let faults: Map<string, Fault> | undefined;
    let next = 0;
    for (const name of Object.keys(value)) {
      const given = value[name];
      if (given === undefined) continue;
      const member = this.find(name, next);
      if (member) next = member.index + 1;
      const fault = member ? checkMember(member, given) : UNKNOWN;
      if (fault) (faults ??= new Map()).set(name, fault);
    }
    return faults && Fault.gather([], faults);
  }

  encode(value: Value): string {
    let text = '';
    for (const { property, codec, label } of this.members) {
      const member = (value as RecordValue)[property.name];
      if (member === undefined) continue;
      text += (text && ',') + label + (member === null ? 'null' : codec.encode(member));
    }
    return `{${text}}`;
  }

  text(value: Value): string {
    return this.encode(value);
  }

  toJson(value: Value): Json {
    const json = new Map<string, Json>();
    for (const { property, codec } of this.members) {
      const member = (value as RecordValue)[property.name];
      if (member !== undefined)
        json.set(property.name, member === null ? null : codec.toJson(member));
    }
    return json;
  }

  /** Members mostly come in the order of the schema: the expected one is compared before any is looked up. */
  private find(name: string, expected: number): Member | undefined {
    const member = this.members[expected];
    return member?.property.name === name ? member : this.byName.get(name);
  }
}

const UNKNOWN = Fault.of('is not a property of the schema');
const MISSING = Fault.of('is required');
const NOT_NULL = Fault.of('must not be null');

const readMember = ({ codec, takesNull }: Member, reader: JsonReader): Value | Fault =>
  takesNull && reader.peek() === NULL && reader.literal('null') ? null : codec.read(reader);

const decodeMember = ({ codec, takesNull }: Member, json: Json): Value | Fault =>
  takesNull && json === null ? null : codec.decode(json);

const checkMember = ({ codec, property }: Member, value: Value): Fault | undefined => {
  if (value !== null) return codec.check(value);
  return property.nullable ? undefined : NOT_NULL;
};

/** The members of one object while it is read. */
class Gathered {
  private readonly record = newRecord();
  private faults: Map<string, Fault> | undefined;

  has(name: string): boolean {
    return this.record[name] !== undefined;
  }

  add(name: string, value: Value | Fault): void {
    if (!(value instanceof Fault)) this.record[name] = value;
    else (this.faults ??= new Map()).set(name, value);
  }

  accept(required: readonly string[]): RecordValue | Fault {
    for (const name of required)
      if (this.record[name] === undefined && !this.faults?.has(name)) this.add(name, MISSING);
    return this.faults ? Fault.gather([], this.faults) : this.record;
  }
}

const isRecord = (value: Value): value is RecordValue =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Map) &&
  !(value instanceof JsonText);
