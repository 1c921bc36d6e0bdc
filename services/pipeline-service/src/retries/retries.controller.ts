import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Retries } from './retries';

/** What gateways remember together. */
@Controller()
export class RetriesController {
  constructor(private readonly retries: Retries) {}

  @Handles('BeginRequest')
  begin(@Payload() request: RequestFor<'BeginRequest'>) {
    return this.retries.begin(request);
  }

  @Handles('EndRequest')
  end(@Payload() request: RequestFor<'EndRequest'>) {
    return this.retries.end(request);
  }
}
