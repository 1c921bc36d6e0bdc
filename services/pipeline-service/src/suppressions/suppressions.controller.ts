import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Suppressions } from './suppressions';

/** A command about a user in, its answer out. */
@Controller()
export class SuppressionsController {
  constructor(private readonly suppressions: Suppressions) {}

  @Handles('SuppressUser')
  suppress(@Payload() request: RequestFor<'SuppressUser'>) {
    return this.suppressions.suppress(request);
  }

  @Handles('UnsuppressUser')
  unsuppress(@Payload() request: RequestFor<'UnsuppressUser'>) {
    return this.suppressions.unsuppress(request);
  }
}
