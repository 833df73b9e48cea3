/** What the option `connection` takes: clients of both libraries as they are, without a cast. */

import type { Redis as IoRedis, Cluster as IoRedisCluster } from "ioredis";
import type { Redis as IoValkey, Cluster as IoValkeyCluster } from "iovalkey";
import { expectTypeOf, test } from "vitest";
import type { ConnectionInput } from "../../src/engine-registry.ts";

test("a client of iovalkey or ioredis, for one server or a cluster, is a connection", () => {
  expectTypeOf<IoValkey>().toExtend<ConnectionInput>();
  expectTypeOf<IoRedis>().toExtend<ConnectionInput>();
  expectTypeOf<IoValkeyCluster>().toExtend<ConnectionInput>();
  expectTypeOf<IoRedisCluster>().toExtend<ConnectionInput>();
});

test("URLs and options are connections, and nothing else is", () => {
  expectTypeOf<string>().toExtend<ConnectionInput>();
  expectTypeOf<{ host: string; port: number; isReadonly: true }>().toExtend<ConnectionInput>();
  expectTypeOf<{ cluster: { host: string }[] }>().toExtend<ConnectionInput>();
  expectTypeOf<{ sentinels: { host: string; port: number }[]; name: string }>().toExtend<ConnectionInput>();
  expectTypeOf<number extends ConnectionInput ? true : false>().toEqualTypeOf<false>();
  expectTypeOf<{ host: number } extends ConnectionInput ? true : false>().toEqualTypeOf<false>();
});
