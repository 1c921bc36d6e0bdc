import type { RequestLimits } from '@penstock/connectors';
import { Pace, ratesOf, SharedRates } from '@penstock/rates';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { orUnavailable } from '../database/or-unavailable';

/** Keeps calls to applications to the rates of their connections, which runs and deliveries share. */
@Injectable()
export class ApplicationRates implements OnModuleInit {
  private readonly rates: SharedRates;

  constructor(database: EntityManager) {
    this.rates = new SharedRates({
      rows: <Row>(text: string, values: readonly unknown[]) =>
        database.query<Row[]>(text, [...values]),
    });
  }

  onModuleInit(): Promise<void> {
    return this.rates.prepare();
  }

  /** Waits until the next call may be made. @throws Refusal ServiceUnavailable, the signal's reason */
  turn(connection: string, limits: RequestLimits, signal: AbortSignal): Promise<void> {
    const pace = new Pace(ratesOf(connection, limits), (wanted) =>
      orUnavailable(this.rates.take(wanted)),
    );
    return pace.turn(signal);
  }
}
