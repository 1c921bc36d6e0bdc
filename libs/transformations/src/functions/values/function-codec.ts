import {
  checkValue,
  compileCodec,
  Invalid,
  JsonSyntaxError,
  type ObjectType,
  parseJson,
  type RecordCodec,
  type RecordValue,
  type Step,
  stepsTo,
} from '@penstock/schema';
import { keyStep } from '../../mapping/key-step';
import { type FindMissing, missingRequired } from '../../mapping/missing-required';
import type { Purpose } from '../../mapping/purpose';
import { type InputPlan, inputPlan } from './input-plan';
import { OutputMismatch } from './output-mismatch';
import { type ReadOutput, readOutput } from './read-output';
import { RecordFailure } from './record-failure';
import { selected } from './selected';
import type { FunctionSchemas, TransformationFunction } from './transformation-function';
import { type WriteInput, writeInput } from './write-input';

const shownStep = ({ into, name }: Step): string => {
  if (into === 'property') return `.${name}`;
  return into === 'element' ? `[${name}]` : keyStep(name);
};

/**
 * Matches results that may differ from the encoding of values: tagged values, the names of special floats, digits
 * beyond the precision of JavaScript's numbers, integers in quotes. It may also match harmless results.
 */
const MAY_DIFFER = /\\u0001|NaN|Infinity|\d{16}|"-?\d+"/;

const invalid = (path: string, message: string): RecordFailure =>
  new RecordFailure('OutputValidation', `${path.replace(/^\./, '')}: ${message}`);

/** Converts records for the guest, and the guest's results into records. */
export class FunctionCodec {
  /** Values of a record that the guest has to convert; null for none. */
  readonly plan: InputPlan | null;
  private readonly write: WriteInput;
  private readonly read: ReadOutput;
  private readonly given: ObjectType;
  private readonly plain: RecordCodec | undefined;
  private readonly missing: Readonly<Record<Purpose, FindMissing | undefined>>;

  constructor(definition: TransformationFunction, schemas: FunctionSchemas) {
    const shown = selected(schemas.input, definition.inPaths);
    this.given = selected(schemas.output, definition.outPaths);
    this.plan = inputPlan(shown, definition.language) ?? null;
    this.write = writeInput(shown, definition);
    this.read = readOutput(this.given, definition);
    this.plain = definition.preserveJSON ? undefined : compileCodec(this.given, { partial: true });
    this.missing = {
      None: missingRequired(schemas.output, 'None'),
      Create: missingRequired(schemas.output, 'Create'),
      Update: missingRequired(schemas.output, 'Update'),
    };
  }

  encode(record: RecordValue): string {
    return this.write(record);
  }

  /** @param text untrusted: the guest's result for one record. */
  decode(text: string, purpose: Purpose): RecordValue | RecordFailure {
    const record = this.readPlain(text) ?? this.readChecked(text);
    if (record instanceof RecordFailure) return record;
    const missing = this.missing[purpose]?.(record);
    if (missing !== undefined) return invalid(missing, `required (${purpose}), but not given`);
    return record;
  }

  private readChecked(text: string): RecordValue | RecordFailure {
    const record = this.readAll(text);
    if (record instanceof RecordFailure) return record;
    const [issue] = checkValue(this.given, record) ?? [];
    if (issue === undefined) return record;
    const path = stepsTo(this.given, issue.path).map(shownStep).join('');
    return invalid(path, issue.message);
  }

  /** Reads a result as the schema's codec writes it, which most are: validated in one pass, without building a tree. */
  private readPlain(text: string): RecordValue | undefined {
    if (this.plain === undefined || MAY_DIFFER.test(text)) return undefined;
    try {
      return this.plain.parse(text);
    } catch (error) {
      if (error instanceof Invalid) return undefined;
      throw error;
    }
  }

  private readAll(text: string): RecordValue | RecordFailure {
    try {
      return this.read(parseJson(text)) as RecordValue;
    } catch (error) {
      if (error instanceof OutputMismatch) return invalid(error.path, error.message);
      if (error instanceof JsonSyntaxError)
        return new RecordFailure(
          'OutputValidation',
          'the result is not a value that JSON can hold',
        );
      throw error;
    }
  }
}
