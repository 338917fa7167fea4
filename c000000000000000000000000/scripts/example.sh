#!/bin/sh
set -eu
echo "hello from a script"
