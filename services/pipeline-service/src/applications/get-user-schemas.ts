import { GuardedHttp } from '@penstock/connectors';
import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { destinationView, printType, sourceView } from '@penstock/schema';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { ApplicationRates } from './application-rates';
import { Applications } from './applications';
import { valueOf } from './value-of';
import { withinDeadline } from '../deadline/within-deadline';

type Schemas = Queries['GetUserSchemas']['out'];

/** Calls an application for the schemas of its users, as it provides and as it accepts them. */
@Controller()
export class GetUserSchemas {
  constructor(
    private readonly applications: Applications,
    private readonly rates: ApplicationRates,
    private readonly http: GuardedHttp,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetUserSchemas')
  handle(@Payload() request: RequestFor<'GetUserSchemas'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, async (until): Promise<Schemas> => {
      const application = await this.applications.withUsers(input.connection, context.workspace);
      const { connection, source, destination, settings } = application;
      return withinDeadline(async (signal) => {
        const call = { connection, http: this.http, signal };
        if (destination) await this.rates.turn(connection, destination.limits(settings), signal);
        const written = destination && valueOf(await destination.schema(settings, call));
        await this.rates.turn(connection, source.limits(settings, false), signal);
        return {
          source: printType(sourceView(valueOf(await source.schema(settings, call)))),
          destination: written === undefined ? null : printType(destinationView(written)),
        };
      }, until);
    });
  }
}
