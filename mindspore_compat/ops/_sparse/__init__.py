"""Sparse COO and CSR matrices: conversion, products, arithmetic, and their components."""
