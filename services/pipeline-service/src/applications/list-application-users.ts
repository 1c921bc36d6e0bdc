import { type CallContext, GuardedHttp } from '@penstock/connectors';
import { type Queries, Refusal } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { align, compileCodec, parseJson, parseSchema, type Schema } from '@penstock/schema';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Findings } from '../pipelines/findings';
import { ApplicationRates } from './application-rates';
import { Applications, type UserApplication } from './applications';
import { noCursor } from '../read-model/no-cursor';
import { cursorOf, positionAt, type UserPosition } from './user-position';
import { userSet, type UserSet, type Wanted } from './user-set';
import { valueOf } from './value-of';
import { withinDeadline } from '../deadline/within-deadline';

type Query = Queries['ListApplicationUsers'];

interface WantedUsers extends Wanted {
  readonly schema: Schema;
}

/** Calls an application for its users, page by page. */
@Controller()
export class ListApplicationUsers {
  constructor(
    private readonly applications: Applications,
    private readonly rates: ApplicationRates,
    private readonly http: GuardedHttp,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ListApplicationUsers')
  handle(
    @Payload() request: RequestFor<'ListApplicationUsers'>,
    @Ctx() received: LogRequestContext,
  ) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, async (until): Promise<Query['out']> => {
      const application = await this.applications.withUsers(input.connection, context.workspace);
      const { connection, source, settings } = application;
      const wanted = wantedUsers(input);
      const position = positionAt(input.cursor);
      const { users, next } = await withinDeadline(async (signal) => {
        const call = { connection, http: this.http, signal };
        const turn = () => this.rates.turn(connection, source.limits(settings, false), signal);
        await turn();
        checkAlignment(wanted.schema, valueOf(await source.schema(settings, call)));
        await turn();
        return readPage(application, wanted, position, call);
      }, until);
      return { users, cursor: cursorOf(next) };
    });
  }
}

/** @throws Refusal BadRequest with all issues of schema and filter. */
const wantedUsers = (input: Pick<Query['in'], 'schema' | 'filter'>): WantedUsers => {
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

const readPage = async (
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
