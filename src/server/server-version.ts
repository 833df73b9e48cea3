/**
 * The version of Valkey whose commands this server speaks. Client libraries decide by it what they may send.
 */

export const SERVER_VERSION = "8.0.1";

/** The same for clients that only know the line from which Valkey began. */
export const REDIS_VERSION = "7.2.4";
