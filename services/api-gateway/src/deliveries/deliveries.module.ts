import { Module } from '@nestjs/common';
import { ConservationController } from './conservation.controller';
import { DeliveriesController } from './deliveries.controller';

/** Deliveries that wait or did not succeed, and what became of all. */
@Module({ controllers: [DeliveriesController, ConservationController] })
export class DeliveriesModule {}
