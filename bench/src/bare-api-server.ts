import { Body, Controller, Get, Header, HttpCode, Module, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bare Nest route for comparison: answers a GET with the bytes of its argument, and parses the body of a PUT. */
const [, , answer = ''] = process.argv;

@Controller('v1/pipelines/:id')
class BareController {
  @Get()
  @Header('Content-Type', 'application/json')
  get(): string {
    return answer;
  }

  @Put()
  @HttpCode(200)
  put(@Body() _: object): string {
    return '';
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const start = async (): Promise<void> => {
  const application = await NestFactory.create(BareModule, new ExpressAdapter(), { logger: false });
  const server = (await application.listen(0, '127.0.0.1')) as Server;
  process.send?.({ port: (server.address() as AddressInfo).port });
};

void start();
