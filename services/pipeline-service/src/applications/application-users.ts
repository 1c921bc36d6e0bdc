import { GuardedHttp, type Answer, type CallContext } from '@penstock/connectors';
import { type JsonString, type Queries, Refusal, type Request } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import {
  align,
  compileCodec,
  destinationView,
  parseJson,
  parseSchema,
  printType,
  type Schema,
  sourceView,
} from '@penstock/schema';
import { Injectable } from '@nestjs/common';
import { unavailable } from '../command-handling/unavailable';
import { Findings } from '../pipelines/findings';
import { Applications, type UserApplication } from './applications';
import { cursorOf, noCursor, positionAt, type UserPosition } from './user-position';
import { userSet, type UserSet, type Wanted } from './user-set';
import { withinDeadline } from './within-deadline';

type Query<Name extends keyof Queries> = Request<Queries[Name]['in']>;
type Out<Name extends keyof Queries> = Promise<Queries[Name]['out']>;

interface WantedUsers extends Wanted {
  readonly schema: Schema;
}

/** The users of applications, read directly from there. */
@Injectable()
export class ApplicationUsers {
  constructor(
    private readonly applications: Applications,
    private readonly http: GuardedHttp,
  ) {}

  /** @param until fires when nobody waits for the answer any more; so below. */
  async schemas(
    { context, in: { connection } }: Query<'GetUserSchemas'>,
    until?: AbortSignal,
  ): Out<'GetUserSchemas'> {
    const application = await this.applications.withUsers(connection, context.workspace);
    const { source, destination, settings } = application;
    return this.calling(application, until, async (call) => {
      const written = destination && valueOf(await destination.schema(settings, call));
      return {
        source: printType(sourceView(valueOf(await source.schema(settings, call)))),
        destination: written === undefined ? null : printType(destinationView(written)),
      };
    });
  }

  async list(
    { context, in: input }: Query<'ListApplicationUsers'>,
    until?: AbortSignal,
  ): Out<'ListApplicationUsers'> {
    const application = await this.applications.withUsers(input.connection, context.workspace);
    const wanted = wantedUsers(input);
    const position = positionAt(input.cursor);
    const { users, next } = await this.calling(application, until, async (call) => {
      const { source, settings } = application;
      checkAlignment(wanted.schema, valueOf(await source.schema(settings, call)));
      return read(application, wanted, position, call);
    });
    return { users, cursor: cursorOf(next) };
  }

  private calling<T>(
    { connection }: UserApplication,
    until: AbortSignal | undefined,
    work: (call: CallContext) => Promise<T>,
  ): Promise<T> {
    return withinDeadline((signal) => work({ connection, http: this.http, signal }), until);
  }
}

/** @throws Refusal BadRequest with everything that is wrong. */
const wantedUsers = (input: { schema: JsonString; filter: JsonString | null }): WantedUsers => {
  const findings = new Findings();
  const schema = findings.of('schema', () => parseSchema(parseJson(input.schema)));
  const filterText = input.filter;
  const filter =
    schema === undefined || filterText === null
      ? undefined
      : findings.of('filter', () => parseFilter(parseJson(filterText), schema, 'SourceUser'));
  findings.refuse();
  if (schema === undefined) throw new TypeError('a schema was neither read nor refused');
  const matches = filter === undefined ? () => true : compileFilter(filter, schema).matches;
  return { schema, codec: compileCodec(schema), matches };
};

/** @throws Refusal SchemaNotAligned, with a detail for each difference. */
const checkAlignment = (schema: Schema, source: Schema): void => {
  const details = align(schema, source, null).map(({ path, message }) => ({
    path: `/schema${path}`,
    message,
  }));
  const message = "schema is not aligned with the application's source schema";
  if (details.length > 0) throw new Refusal('SchemaNotAligned', { message, details });
};

const read = async (
  { source, settings }: UserApplication,
  wanted: WantedUsers,
  position: UserPosition,
  call: CallContext,
): Promise<UserSet> => {
  const query = { schema: wanted.schema, changedSince: null, cursor: position.page };
  const answer = await source.read(query, settings, call);
  if (answer.kind === 'rejected' && position.page !== '') throw noCursor();
  return userSet(valueOf(answer), position, wanted);
};

/** @throws Refusal ServiceUnavailable */
const valueOf = <T>(answer: Answer<T>): T => {
  if (answer.kind === 'answered') return answer.value;
  throw unavailable(`the application: ${answer.reason}`);
};
